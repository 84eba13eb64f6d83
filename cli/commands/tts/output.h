// Where speech is kept: a file or standard output, parts joined to one, times beside it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/files.h"
#include "base/result.h"
#include "commands/tts/plan.h"
#include "voice/char_times.h"

namespace svc::cli {

class SpeechOutput {
 public:
  /// Opens what the plan names, before anything is sent. Local when it cannot be written.
  [[nodiscard]] static Result<SpeechOutput> open(Session& session, const SpeechPlan& plan);

  /// Bytes of the only part, as they arrive.
  [[nodiscard]] Result<void> write(std::string_view bytes);

  /// A whole part of several; `seconds` as the service says.
  [[nodiscard]] Result<void> add_part(std::string_view bytes, std::optional<double> seconds);

  /// The times of the part that comes next, or came alone.
  void add_times(const std::vector<voice::CharTime>& times);

  /// How long the parts are in all, as far as that is known.
  [[nodiscard]] double seconds() const noexcept { return m_seconds; }
  void set_seconds(double seconds) noexcept { m_seconds = seconds; }

  /// Everything is here: files get their names, and are told.
  [[nodiscard]] Result<void> commit();

  /// Something failed: what was written stays beside the target, which is told.
  void keep();

 private:
  SpeechOutput(Session& session, const SpeechPlan& plan) : m_session(session), m_plan(plan) {}
  [[nodiscard]] Result<void> put(std::string_view bytes);
  [[nodiscard]] Result<void> finish_head();
  [[nodiscard]] Result<void> write_times();
  [[nodiscard]] Result<void> report();

  Session& m_session;
  const SpeechPlan& m_plan;
  std::optional<AtomicFile> m_file{};
  std::optional<AtomicFile> m_timestamps{};
  std::optional<AtomicFile> m_subtitles{};
  std::string m_name{};  ///< of the file, once it has one
  std::uint64_t m_bytes = 0;
  std::uint64_t m_sound_bytes = 0;        ///< of joined WAV parts
  std::optional<voice::WavHead> m_wav{};  ///< of the first of them
  double m_seconds = 0;
  std::vector<voice::CharTime> m_times{};
};

}  // namespace svc::cli
