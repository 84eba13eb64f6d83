#include "commands/sound/sound_report.h"

#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "audio/devices.h"
#include "audio/echo.h"
#include "audio/sound_library.h"
#include "base/atomic_file.h"
#include "base/clock.h"
#include "base/files.h"
#include "base/text.h"
#include "json/document.h"
#include "live/sound.h"

namespace svc::cli {
namespace {

constexpr const char* k_sound_test_file = "sound-test.json";

Finding device_finding(const std::vector<audio::Device>& devices, audio::Direction direction,
                       const std::string& wanted) {
  const char* check = direction == audio::Direction::Input ? "microphone" : "speaker";
  const auto device = audio::choose_device(devices, direction, wanted);
  if (device) {
    return {check, State::Ok,
            fmt::format("{}{}", audio::shown_device(*device),
                        wanted.empty() ? ", the system's default" : ""),
            ""};
  }
  // A machine without audio devices is fine; a configured device must exist.
  return {check, wanted.empty() ? State::Note : State::Warning, device.error().message,
          device.error().hint};
}

State state_of(const std::string& word) {
  for (const State state : {State::Ok, State::Note, State::Warning}) {
    if (state_word(state) == word) return state;
  }
  return State::Error;
}

/// The result of the last test, if any.
std::optional<Finding> last_sound_test() {
  const auto directory = state_directory();
  if (directory.empty()) return std::nullopt;
  const auto text = read_file((directory / k_sound_test_file).string());
  const nlohmann::json kept = text ? parse_reply(*text) : nlohmann::json();
  if (!kept.is_object() || !kept.contains("time") || !kept["time"].is_number_integer() ||
      !kept.contains("checks") || !kept["checks"].is_array()) {
    return std::nullopt;
  }
  Finding finding{"sound test", State::Ok, "", ""};
  for (const auto& check : kept["checks"]) {
    if (!check.is_object()) continue;
    const State state = state_of(text_member(check, "state"));
    if (state >= State::Warning) finding.state = State::Warning;
    finding.detail +=
        fmt::format("; {}: {}", text_member(check, "check"), text_member(check, "detail"));
  }
  if (finding.state == State::Warning) finding.hint = "Run `svc sound test` again.";
  finding.detail =
      fmt::format("on {}{}", format_rfc3339(kept["time"].get<std::int64_t>()), finding.detail);
  return finding;
}

}  // namespace

std::vector<Finding> check_sound(Session& session) {
  const auto devices = audio::list_devices(session.cancel_token());
  if (!devices) {
    const Error& error = devices.error();
    const bool frozen = error.cause == Cause::SoundServerFrozen;
    return {{"sound", frozen ? State::Warning : State::Note, error.message, error.hint}};
  }
  if (devices->empty()) return {{"sound", State::Note, "this machine has no sound devices", ""}};
  std::vector<Finding> findings = {
      device_finding(*devices, audio::Direction::Input, input_device(session)),
      device_finding(*devices, audio::Direction::Output, output_device(session))};
  const auto canceller = audio::make_echo_canceller(k_test_rate);
  findings.push_back(canceller ? Finding{"echo canceller", State::Ok, "installed", ""}
                               : Finding{"echo canceller", State::Note, canceller.error().message,
                                         canceller.error().hint});
  if (auto test = last_sound_test()) {
    findings.push_back(*std::move(test));
  } else {
    findings.push_back({"sound test", State::Note,
                        "not run yet; `svc sound test` measures microphone, speaker and echo", ""});
  }
  return findings;
}

Finding assess_microphone(const std::string& name, const audio::Level& level) {
  const double loud = audio::decibels(level.rms);
  const auto finding = [&](State state, sv what, std::string hint = {}) {
    return Finding{"microphone", state, fmt::format("{}: {}", name, what), std::move(hint)};
  };
  if (level.peak <= 0) {
    Finding silent =
        finding(State::Error, "silent: it captured nothing at all",
                "It may be muted, or the wrong device: `svc sound devices` lists the others.");
    silent.fault = Fault::Local;
    return silent;
  }
  const std::string measured = fmt::format("{:.0f} dB", loud);
  if (level.peak >= 0.99) {
    return finding(State::Warning, fmt::format("too loud ({}): speech is distorted", measured),
                   "Lower the microphone's level in the system's sound settings.");
  }
  if (loud < -50) {
    return finding(State::Warning, fmt::format("very quiet ({})", measured),
                   "If you were speaking, raise the microphone's level in the system's sound "
                   "settings, or move closer.");
  }
  return finding(State::Ok, loud < -35 ? fmt::format("quiet, but usable ({})", measured)
                                       : fmt::format("a good level ({})", measured));
}

Finding assess_loop(const audio::EchoReport& loop) {
  if (!loop.delay) {
    return {"loop delay", State::Note,
            "the microphone does not hear the speaker: headphones, or one of them is muted", ""};
  }
  return {
      "loop delay", State::Ok,
      fmt::format("the microphone hears the speaker after {} ms, {:.0f} dB {}", loop.delay->count(),
                  std::abs(loop.echo), loop.echo < 0 ? "weaker" : "louder"),
      ""};
}

Finding assess_delay(std::optional<audio::Milliseconds> delay, bool heard,
                     const std::string& latency) {
  if (!delay) return {"mouth to ear", State::Note, "not measured: no sound came through", ""};
  return {"mouth to ear", State::Ok,
          fmt::format("{} ms from playback to recording with --latency {}{}", delay->count(),
                      latency, heard ? "" : ", as the devices report it"),
          ""};
}

Finding assess_canceller(const std::optional<Error>& missing, const audio::EchoReport& loop) {
  if (!loop.canceled) {
    if (!missing) {
      return {"echo canceller", State::Ok, "available; there was no echo to cancel", ""};
    }
    return {"echo canceller", State::Note, fmt::format("limited: {}", missing->message),
            missing->hint};
  }
  const double canceled = *loop.canceled;
  const auto finding = [&](State state, sv how, sv hint = {}) {
    return Finding{"echo canceller", state,
                   fmt::format("{}; removes {:.0f} dB of the echo: {}",
                               missing ? "limited" : "available", canceled, how),
                   std::string(hint)};
  };
  constexpr sv k_hint =
      "Lower the speaker's volume, move the microphone away from it, or use headphones.";
  if (canceled >= 15) return finding(State::Ok, "soft interruptions are heard");
  if (canceled >= 8) return finding(State::Ok, "good enough for a conversation");
  if (canceled >= 3) {
    return finding(State::Warning, "only loud interruptions are heard", k_hint);
  }
  return finding(State::Warning, "the microphone will be closed while an answer plays", k_hint);
}

Result<void> save_sound_test(std::span<const Finding> findings) {
  const auto directory = state_directory();
  if (directory.empty()) return {};
  SVC_CHECK(make_private_directory(directory));
  OrderedJson kept = to_json(findings);
  kept["time"] = unix_now();
  return write_file((directory / k_sound_test_file).string(), compact_json(kept), Replace::Yes,
                    0600);
}

}  // namespace svc::cli
