// A service of its own for `svc realtime talk`, which measures what the user of a sound card hears
// of it (sound_card.h): when an answer begins, when it falls silent, how much of it was heard and
// how much svc says was. Answers are noise that never repeats, so that each sample is known again.
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
  std::string recording{};               ///< of the card's speaker: grows while it plays
  std::string folder{};                  ///< for what svc writes
  int rate = 24'000;                     ///< of the card
  std::vector<std::string> arguments{};  ///< further ones
};

/// An answer that was interrupted. Times are in milliseconds of the recording, which is at most one
/// block of 20 ms ahead of or behind the clock.
struct BargeIn {
  double begin = 0;    ///< from the first delta's sending to the first sample that comes out
  double silence = 0;  ///< what still comes out after the event was sent
  double told = 0;     ///< from the event to svc's word of what was heard
  double heard = 0;    ///< what came out of the answer
  double said = 0;     ///< what svc says was heard
};

struct ProcessUse {
  double cpu_seconds = 0;
  std::uint64_t peak_bytes = 0;
};

/// Of a process, so far.
[[nodiscard]] ProcessUse process_use(pid_t pid);

class TalkProbe {
 public:
  /// Starts svc with a microphone and a speaker, and brings its session up. Local when that fails.
  [[nodiscard]] static Result<std::unique_ptr<TalkProbe>> start(TalkProbeOptions options);
  TalkProbe(const TalkProbe&) = delete;
  TalkProbe& operator=(const TalkProbe&) = delete;

  /// Answers, and lets the user speak after `heard_for`. Local when svc does not do its part.
  [[nodiscard]] Result<BargeIn> barge_in(std::chrono::milliseconds heard_for);
  /// An answer of `length`, heard to its end.
  [[nodiscard]] Result<void> answer(std::chrono::milliseconds length);

  /// Of svc, so far.
  [[nodiscard]] ProcessUse use() const { return process_use(m_svc->pid()); }
  /// Ends it; what it wrote on standard error.
  [[nodiscard]] std::string end();

 private:
  using Clock = std::chrono::steady_clock;
  explicit TalkProbe(TalkProbeOptions options) : m_options(std::move(options)) {}

  [[nodiscard]] Result<void> listen();
  [[nodiscard]] Result<void> launch();
  [[nodiscard]] Result<void> shake_hands();
  void say(std::string_view json);
  void say_answer(const std::vector<std::int16_t>& samples);
  /// The first message that holds `text`, by then; "" otherwise. Meanwhile everything is read.
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
