// A service for `svc realtime talk` that measures what the user of a sound card hears
// (sound_card.h): when an answer starts, when it falls silent, how much of it was heard and how
// much svc reports. Answers are noise that never repeats, so that every sample can be identified.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "support/case_companion.h"
#include "support/case_fd.h"

namespace svc::test {

struct TalkProbeOptions {
  std::string program = "svc";
  std::string recording{};               ///< the card's speaker; grows while it plays
  std::string directory{};               ///< directory for svc's output
  int rate = 24'000;                     ///< of the card
  std::vector<std::string> arguments{};  ///< additional ones
};

/// An interrupted answer. Times are in milliseconds of the recording, which is at most one
/// block of 20 ms ahead of or behind the clock.
struct BargeIn {
  double begin = 0;    ///< from sending the first delta to the first sample played
  double silence = 0;  ///< played after the event was sent
  double told = 0;     ///< from the event to svc's truncate
  double heard = 0;    ///< played part of the answer
  double said = 0;     ///< heard according to svc
};

struct ProcessUse {
  double cpu_seconds = 0;
  std::uint64_t peak_bytes = 0;
};

/// Resources used by a process so far.
[[nodiscard]] ProcessUse process_use(pid_t pid);

class TalkProbe {
 public:
  /// Starts svc with a microphone and a speaker, and sets up its session. Local on failure.
  [[nodiscard]] static Result<std::unique_ptr<TalkProbe>> start(TalkProbeOptions options);
  TalkProbe(const TalkProbe&) = delete;
  TalkProbe& operator=(const TalkProbe&) = delete;

  /// Answers, and lets the user speak after `heard_for`. Local if svc misbehaves.
  [[nodiscard]] Result<BargeIn> barge_in(std::chrono::milliseconds heard_for);
  /// Sends an answer of `length` and waits until it has played.
  [[nodiscard]] Result<void> answer(std::chrono::milliseconds length);

  /// svc's resource use so far.
  [[nodiscard]] ProcessUse use() const { return process_use(m_svc->pid()); }
  /// Stops svc; returns its standard error.
  [[nodiscard]] std::string end();

 private:
  using Clock = std::chrono::steady_clock;
  explicit TalkProbe(TalkProbeOptions options) : m_options(std::move(options)) {}

  [[nodiscard]] Result<void> listen();
  [[nodiscard]] Result<void> launch();
  [[nodiscard]] Result<void> shake_hands();
  void say(std::string_view json);
  void say_answer(const std::vector<std::int16_t>& samples);
  /// Reads messages until one contains `text`, and returns it; "" at the deadline.
  [[nodiscard]] std::string wait_for(std::string_view text, std::chrono::milliseconds limit);
  [[nodiscard]] std::size_t recorded() const;
  [[nodiscard]] std::vector<std::int16_t> recording_from(std::size_t sample) const;

  TalkProbeOptions m_options;
  Fd m_listener{};
  Fd m_socket{};
  std::unique_ptr<Companion> m_svc{};
  std::string m_in{};
  std::uint32_t m_answers = 0;
};

}  // namespace svc::test
