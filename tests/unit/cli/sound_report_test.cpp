// What `svc sound test` says about a microphone, the echo and its canceller.
#include "commands/sound/sound_report.h"

#include <doctest/doctest.h>

using namespace svc;
using namespace svc::cli;

namespace {

void check(const Finding& finding, const char* name, State state, const std::string& detail,
           const std::string& hint = {}) {
  CHECK(finding.check == name);
  CHECK(finding.state == state);
  CHECK(finding.detail == detail);
  CHECK(finding.hint == hint);
}

}  // namespace

TEST_CASE("a microphone is judged by its loudest moments") {
  const auto judged = [](double peak, double rms) {
    return assess_microphone("Mic", {.peak = peak, .rms = rms});
  };
  const Finding silent = judged(0, 0);
  check(silent, "microphone", State::Error, "Mic: silent: it captured nothing at all",
        "It may be muted, or the wrong device: `svc sound devices` lists the others.");
  CHECK(silent.fault == Fault::Local);
  constexpr const char* lower = "Lower the microphone's level in the system's sound settings.";
  check(judged(0.99, 0.1), "microphone", State::Warning,
        "Mic: too loud (-20 dB): speech is distorted", lower);
  check(judged(0.98, 0.1), "microphone", State::Ok, "Mic: a good level (-20 dB)");
  // -35 dB is 0.01778 of the full scale, -50 dB is 0.00316.
  check(judged(0.5, 0.0179), "microphone", State::Ok, "Mic: a good level (-35 dB)");
  check(judged(0.5, 0.0177), "microphone", State::Ok, "Mic: quiet, but usable (-35 dB)");
  check(judged(0.5, 0.00317), "microphone", State::Ok, "Mic: quiet, but usable (-50 dB)");
  check(judged(0.001, 0.00315), "microphone", State::Warning, "Mic: very quiet (-50 dB)",
        "If you were speaking, raise the microphone's level in the system's sound settings, or "
        "move closer.");
}

TEST_CASE("the way from the speaker to the microphone") {
  check(assess_loop({}), "loop delay", State::Note,
        "the microphone does not hear the speaker: headphones, or one of them is muted");
  check(assess_loop({.delay = audio::Milliseconds(40), .echo = -12.3}), "loop delay", State::Ok,
        "the microphone hears the speaker after 40 ms, 12 dB weaker");
  check(assess_loop({.delay = audio::Milliseconds(0), .echo = 2.8}), "loop delay", State::Ok,
        "the microphone hears the speaker after 0 ms, 3 dB louder");
}

TEST_CASE("how long sound takes through both devices") {
  check(assess_delay(std::nullopt, false, "low"), "mouth to ear", State::Note,
        "not measured: no sound came through");
  check(assess_delay(audio::Milliseconds(85), true, "low"), "mouth to ear", State::Ok,
        "85 ms from playback to recording with --latency low");
  check(assess_delay(audio::Milliseconds(85), false, "high"), "mouth to ear", State::Ok,
        "85 ms from playback to recording with --latency high, as the devices report it");
}

TEST_CASE("how well the echo is canceled") {
  const Error missing{Fault::Local, "not installed", "Install it."};
  check(assess_canceller(std::nullopt, {}), "echo canceller", State::Ok,
        "available; there was no echo to cancel");
  check(assess_canceller(missing, {}), "echo canceller", State::Note, "limited: not installed",
        "Install it.");
  const auto canceled = [&](double decibels, bool whole = true) {
    return assess_canceller(whole ? std::nullopt : std::optional(missing), {.canceled = decibels});
  };
  constexpr const char* hint =
      "Lower the speaker's volume, move the microphone away from it, or use headphones.";
  check(canceled(15), "echo canceller", State::Ok,
        "available; removes 15 dB of the echo: soft interruptions are heard");
  check(canceled(14.4), "echo canceller", State::Ok,
        "available; removes 14 dB of the echo: good enough for a conversation");
  check(canceled(8), "echo canceller", State::Ok,
        "available; removes 8 dB of the echo: good enough for a conversation");
  check(canceled(7.4), "echo canceller", State::Warning,
        "available; removes 7 dB of the echo: only loud interruptions are heard", hint);
  check(canceled(3), "echo canceller", State::Warning,
        "available; removes 3 dB of the echo: only loud interruptions are heard", hint);
  check(canceled(2.4), "echo canceller", State::Warning,
        "available; removes 2 dB of the echo: the microphone will be closed while an answer plays",
        hint);
  check(canceled(20, false), "echo canceller", State::Ok,
        "limited; removes 20 dB of the echo: soft interruptions are heard");
}
