// `svc sound devices` and `svc sound test`.
#include "live/sound.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "audio/devices.h"
#include "audio/duplex.h"
#include "audio/echo.h"
#include "base/text.h"
#include "commands/command.h"
#include "commands/doctor/doctor.h"
#include "commands/sound/sound_report.h"

namespace svc::cli {
namespace {

using audio::Clock;
using audio::Milliseconds;
using Samples = std::vector<audio::Sample>;

constexpr audio::Format k_format{k_test_rate, 1};
constexpr Milliseconds k_tone{500};
constexpr Milliseconds k_probe{3'000};
constexpr Milliseconds k_recording{3'000};
constexpr Milliseconds k_settle{600};  ///< for a late echo
constexpr Milliseconds k_slice{40};

Samples tone() {
  constexpr double k_hertz = 440;
  constexpr double k_loud = 8'000;
  constexpr double k_turn = 2 * 3.14159265358979 * k_hertz;
  Samples samples(static_cast<std::size_t>(audio::frames_in(k_format, k_tone)));
  constexpr double k_fade = k_test_rate / 50.0;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const auto at = static_cast<double>(i);
    const double edge =
        std::min({1.0, at / k_fade, static_cast<double>(samples.size() - i) / k_fade});
    samples[i] = static_cast<audio::Sample>(k_loud * edge * std::sin(k_turn * at / k_test_rate));
  }
  return samples;
}

/// Plays and records at the same time, and reports the result.
class SoundTest {
 public:
  SoundTest(Session& session, audio::Duplex duplex)
      : m_session(session), m_duplex(std::move(duplex)) {}

  Result<std::vector<Finding>> run(const std::string& microphone, const std::string& speaker) {
    SVC_CHECK(m_duplex.microphone->start());
    m_session.progress().start("Testing sound");
    m_session.progress().aside("a tone");
    SVC_CHECK(play(tone()));
    m_session.progress().aside("noise, to measure the echo");
    SVC_TRY(loop, measure());
    m_session.notices().note(fmt::format("say something: svc records {} and plays them back",
                                         format_duration(k_recording)));
    SVC_TRY(recording, record());
    m_session.progress().aside("your recording");
    SVC_CHECK(play(recording));
    m_session.progress().finish();
    return report(microphone, speaker, loop, recording);
  }

 private:
  /// Records from the microphone until `until`.
  Result<void> listen(Clock::time_point until, bool meter = false) {
    while (Clock::now() < until) {
      SVC_TRY(block, audio::read_block(*m_duplex.microphone, m_session.cancel_token(), until));
      if (!block) continue;
      const Clock::time_point begin =
          block->ended - audio::time_of(k_format, block->samples.size());
      // Earlier blocks have what was played before.
      if (begin < m_begin) m_earlier = m_heard.size() + block->samples.size();
      m_taken.push_back({m_heard.size() + block->samples.size(), Clock::now()});
      m_heard.insert(m_heard.end(), block->samples.begin(), block->samples.end());
      m_played.insert(m_played.end(), block->played.begin(), block->played.end());
      if (meter) {
        const print::Terminal& terminal = m_session.err().terminal();
        m_session.progress().aside("microphone " +
                                   level_meter(m_duplex.microphone->level(), terminal.utf8));
      }
      m_session.progress().tick();
    }
    return {};
  }

  Result<void> play(std::span<const audio::Sample> samples) {
    m_heard.clear();
    m_played.clear();
    m_taken.clear();
    m_earlier = 0;
    m_begin = Clock::now();
    SVC_CHECK(audio::write_all(*m_duplex.speaker, samples, m_session.cancel_token()));
    m_duplex.speaker->finish();
    while (!m_duplex.speaker->idle()) {
      SVC_CHECK(m_duplex.speaker->check());
      SVC_CHECK(listen(Clock::now() + k_slice));
    }
    return {};
  }

  Result<audio::EchoReport> measure() {
    SVC_CHECK(play(audio::probe_signal(k_test_rate, k_probe)));
    SVC_CHECK(listen(Clock::now() + k_settle));
    auto canceller = audio::make_echo_canceller(k_test_rate);
    if (!canceller) m_missing = canceller.error();
    const audio::EchoReport report = audio::measure_echo(m_played, m_heard, k_test_rate);
    if (report.delay) remember_lag(m_duplex.input, m_duplex.output, *report.delay);
    m_delay = through_devices(report.delay.value_or(Milliseconds(0)));
    return report;
  }

  /// From the moment at which the program plays a sample until it has recorded it, on average: what
  /// devices add to the time between a mouth and an ear.
  [[nodiscard]] std::optional<Milliseconds> through_devices(Milliseconds lag) const {
    const auto first = std::find_if(m_played.begin() + static_cast<std::ptrdiff_t>(m_earlier),
                                    m_played.end(), [](audio::Sample one) { return one != 0; });
    const auto heard = static_cast<std::size_t>(first - m_played.begin()) +
                       audio::frames_in(k_format, std::max(lag, Milliseconds(0)));
    Clock::duration sum{0};
    int blocks = 0;
    std::size_t begin = 0;
    for (const Taken& block : m_taken) {
      const std::size_t middle = (std::exchange(begin, block.end) + block.end) / 2;
      if (middle < heard || middle >= heard + audio::frames_in(k_format, k_probe)) continue;
      sum += block.when - m_begin - audio::time_of(k_format, middle - heard);
      ++blocks;
    }
    if (first == m_played.end() || blocks == 0) return std::nullopt;
    return std::chrono::duration_cast<Milliseconds>(sum / blocks);
  }

  Result<Samples> record() {
    m_heard.clear();
    SVC_CHECK(listen(Clock::now() + k_recording, true));
    return m_heard;
  }

  [[nodiscard]] std::vector<Finding> report(const std::string& microphone,
                                            const std::string& speaker,
                                            const audio::EchoReport& loop,
                                            std::span<const audio::Sample> recording) const {
    // The loudest tenth of a second, as speech has pauses.
    audio::Level level;
    constexpr std::size_t k_part = k_test_rate / 10;
    for (std::size_t at = 0; at + k_part <= recording.size(); at += k_part) {
      const audio::Level one = audio::level_of(recording.subspan(at, k_part));
      level = {std::max(level.peak, one.peak), std::max(level.rms, one.rms)};
    }
    const auto lost = m_duplex.microphone->lost();
    return {assess_microphone(microphone, level),
            {"speaker", State::Ok,
             fmt::format("{}: played a tone, noise and the recording{}", speaker,
                         loop.delay ? ", and the microphone heard it" : ""),
             ""},
            assess_loop(loop),
            assess_delay(m_delay, loop.delay.has_value(), latency_name(m_session)),
            assess_canceller(m_missing, loop),
            {"recording", lost == 0 ? State::Ok : State::Warning,
             lost == 0 ? fmt::format("{} recorded without a gap and played back",
                                     format_duration(k_recording))
                       : fmt::format("{} frames were lost: the machine is too busy", lost),
             ""}};
  }

  struct Taken {
    std::size_t end = 0;  ///< of a block in m_heard
    Clock::time_point when{};
  };

  Session& m_session;
  audio::Duplex m_duplex;
  std::vector<Taken> m_taken{};
  Clock::time_point m_begin{};  ///< of playback
  std::size_t m_earlier = 0;    ///< samples from before it
  std::optional<Milliseconds> m_delay{};
  Samples m_heard{};
  Samples m_played{};
  std::optional<Error> m_missing{};  ///< why no echo canceller is available
};

}  // namespace

template <>
Result<void> run<Handler::SoundDevices>(Session& session) {
  return print_devices(session);
}

template <>
Result<void> run<Handler::SoundTest>(Session& session) {
  SVC_TRY(devices, audio::list_devices(session.cancel_token()));
  SVC_TRY(input, audio::choose_device(devices, audio::Direction::Input, input_device(session)));
  SVC_TRY(output, audio::choose_device(devices, audio::Direction::Output, output_device(session)));
  SVC_TRY(duplex, audio::open_duplex({.format = k_format,
                                      .latency = latency_of(session),
                                      .echo = audio::EchoMode::Off,
                                      .input = input_device(session),
                                      .output = output_device(session),
                                      .cancel = &session.cancel_token()}));
  SVC_TRY(findings, SoundTest(session, std::move(duplex))
                        .run(audio::shown_device(input), audio::shown_device(output)));
  if (const auto kept = save_sound_test(findings); !kept) {
    session.notices().warning(fmt::format("the result was not saved: {}", kept.error().message));
  }
  return finish_call(session, findings);
}

}  // namespace svc::cli
