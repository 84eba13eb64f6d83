// Where speech is kept: a file or standard output, parts joined to one, times beside it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/files.h"
#include "base/result.h"
#include "base/spool.h"
#include "commands/tts/plan.h"
#include "voice/char_times.h"
#include "voice/transcript.h"

namespace svc::cli {

class SpeechOutput {
 public:
  /// Opens what the plan names, before anything is sent. Local when it cannot be written.
  [[nodiscard]] static Result<SpeechOutput> open(Session& session, const SpeechPlan& plan);

  /// Bytes of a part, as they arrive, one part after the other. Several parts become one sound.
  [[nodiscard]] Result<void> write(std::string_view bytes);

  /// The part is whole; `seconds` and `times` as the service says.
  [[nodiscard]] Result<void> end_part(std::optional<double> seconds,
                                      std::vector<voice::CharTime> times);

  /// Everything arrived: files get their names, which are printed.
  [[nodiscard]] Result<void> commit();

  /// Something failed: what was written stays beside the target, and a note says where.
  void keep();

 private:
  SpeechOutput(Session& session, const SpeechPlan& plan);
  [[nodiscard]] Result<void> put(std::string_view bytes);
  [[nodiscard]] Result<void> finish_head();
  [[nodiscard]] Result<void> put_sound();
  [[nodiscard]] Result<void> add_times(std::vector<voice::CharTime> times);
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
  double m_seconds = 0;                   ///< of whole parts
  voice::PartSound m_part;
  std::string m_sound{};  ///< of the part, to be written
  voice::TranscriptWriter m_cues;
  bool m_timed = false;  ///< a time was sent
  Spool m_chars{};       ///< of the file of times
  Spool m_spans{};
};

}  // namespace svc::cli
