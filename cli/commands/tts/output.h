// The output of speech: a file or standard output, with parts joined, and files with timestamps.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/atomic_file.h"
#include "base/file_backed_buffer.h"
#include "base/result.h"
#include "commands/tts/plan.h"
#include "voice/char_times.h"
#include "voice/transcript.h"

namespace svc::cli {

class SpeechOutput {
 public:
  /// Opens the outputs of the plan, before anything is sent. Local if one cannot be written.
  [[nodiscard]] static Result<SpeechOutput> open(Session& session, const SpeechPlan& plan);

  /// Checks that they can be written, where requests are only shown.
  [[nodiscard]] static Result<void> check(const Session& session, const SpeechPlan& plan);

  /// Writes audio as it arrives, part by part. Several parts are joined.
  [[nodiscard]] Result<void> write(std::string_view bytes);

  /// Marks the part as complete; `seconds` and `times` come from the service.
  [[nodiscard]] Result<void> end_part(std::optional<double> seconds,
                                      std::vector<voice::CharTime> times);

  /// Completes the files and prints their names.
  [[nodiscard]] Result<void> commit();

  /// After an error: keeps the partial files and prints a note with their paths.
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
  std::string m_name{};  ///< of the file, once committed
  std::uint64_t m_bytes = 0;
  std::uint64_t m_sound_bytes = 0;        ///< of the joined WAV parts
  std::optional<voice::WavHead> m_wav{};  ///< of the first WAV part
  double m_seconds = 0;                   ///< of complete parts
  voice::PartAudioExtractor m_part;
  std::string m_sound{};  ///< of the part, not written yet
  voice::TranscriptWriter m_cues;
  bool m_timed = false;        ///< the service sent timestamps
  FileBackedBuffer m_chars{};  ///< for the timestamps file
  FileBackedBuffer m_spans{};
};

}  // namespace svc::cli
