#include "commands/tts/output.h"

#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "json/document.h"
#include "operation/results.h"

namespace svc::cli {
namespace {

/// "speech.mp3", "speech-2.mp3", …
std::string free_speech_name(voice::Codec codec, std::size_t number) {
  return number == 1 ? fmt::format("speech.{}", voice::codec_extension(codec))
                     : fmt::format("speech-{}.{}", number, voice::codec_extension(codec));
}

/// The file of the speech; "" if it is not saved.
std::string speech_path(const SpeechPlan& plan) {
  if (plan.place == SpeechPlace::File) return plan.path;
  if (plan.place != SpeechPlace::Chosen) return {};
  std::size_t number = 1;
  std::error_code unknown;
  while (std::filesystem::exists(free_speech_name(plan.codec, number), unknown)) ++number;
  return free_speech_name(plan.codec, number);
}

Result<std::optional<AtomicFile>> open_file(const std::string& path, Replace replace) {
  if (path.empty()) return std::optional<AtomicFile>();
  SVC_TRY(file, AtomicFile::create(path, replace));
  return std::optional<AtomicFile>(std::move(file));
}

Result<void> copy(const FileBackedBuffer& from, AtomicFile& to) {
  constexpr std::size_t k_block = 256U << 10U;
  for (std::uint64_t at = 0; at < from.size(); at += k_block) {
    SVC_TRY(bytes, from.read(at, k_block));
    SVC_CHECK(to.write(bytes));
  }
  return {};
}

}  // namespace

SpeechOutput::SpeechOutput(Session& session, const SpeechPlan& plan)
    : m_session(session),
      m_plan(plan),
      m_part(plan.codec, plan.rate),
      m_cues(to_lower(plan.subtitles).ends_with(".vtt") ? voice::TranscriptFormat::Vtt
                                                        : voice::TranscriptFormat::Srt) {}

Result<void> SpeechOutput::check(const Session& session, const SpeechPlan& plan) {
  for (const std::string& path : {speech_path(plan), plan.timestamps, plan.subtitles}) {
    if (!path.empty()) SVC_CHECK(check_output(session, path));
  }
  return {};
}

Result<SpeechOutput> SpeechOutput::open(Session& session, const SpeechPlan& plan) {
  SpeechOutput output(session, plan);
  const Replace replace = session.globals().replace();
  SVC_TRY(file, open_file(speech_path(plan), replace));
  output.m_file = std::move(file);
  SVC_TRY(timestamps, open_file(plan.timestamps, replace));
  output.m_timestamps = std::move(timestamps);
  SVC_TRY(subtitles, open_file(plan.subtitles, replace));
  output.m_subtitles = std::move(subtitles);
  return output;
}

Result<void> SpeechOutput::put(sv bytes) {
  m_bytes += bytes.size();
  if (m_file) return m_file->write(bytes);
  if (m_plan.place != SpeechPlace::Stdout || m_plan.document) return {};
  SVC_CHECK(m_session.out().write(bytes));
  return m_session.out().flush();
}

Result<void> SpeechOutput::write(sv bytes) {
  if (m_plan.plan.steps.size() == 1) return put(bytes);
  SVC_CHECK(m_part.feed(bytes, m_sound));
  return put_sound();
}

/// Writes the complete audio of one of several parts.
Result<void> SpeechOutput::put_sound() {
  const auto& wav = m_part.wav();
  if (wav && m_wav &&
      (m_wav->format != wav->format || m_wav->bits != wav->bits || m_wav->tag != wav->tag)) {
    return Error{Fault::Network, "the audio parts differ in format", "Choose --codec pcm or mp3."};
  }
  if (wav && !m_wav) {
    m_wav = wav;
    SVC_CHECK(put(voice::make_wav_head(*wav, std::nullopt)));
  }
  m_sound_bytes += m_sound.size();
  const std::string sound = std::exchange(m_sound, {});
  return sound.empty() ? Result<void>() : put(sound);
}

Result<void> SpeechOutput::end_part(std::optional<double> seconds,
                                    std::vector<voice::CharTime> times) {
  SVC_CHECK(add_times(std::move(times)));
  if (m_plan.plan.steps.size() == 1) {
    m_seconds = seconds.value_or(0);
    return {};
  }
  SVC_CHECK(m_part.finish(m_sound));
  SVC_CHECK(put_sound());
  m_seconds += m_part.seconds() > 0 ? m_part.seconds() : seconds.value_or(0);
  m_part = voice::PartAudioExtractor(m_plan.codec, m_plan.rate);
  return {};
}

Result<void> SpeechOutput::add_times(std::vector<voice::CharTime> times) {
  for (voice::CharTime& time : times) {
    time.start += m_seconds;
    time.end += m_seconds;
  }
  if (m_subtitles) SVC_CHECK(m_subtitles->write(m_cues.add(voice::spoken_words(times))));
  if (m_timestamps && !times.empty()) {
    const voice::CharTimesJson json = voice::char_times_json(times);
    const char* comma = m_timed ? "," : "";
    SVC_CHECK(m_chars.append(comma + json.chars));
    SVC_CHECK(m_spans.append(comma + json.spans));
  }
  m_timed = m_timed || !times.empty();
  return {};
}

Result<void> SpeechOutput::finish_head() {
  if (!m_wav || !m_file || m_file->is_direct()) return {};
  return m_file->overwrite(0, voice::make_wav_head(*m_wav, m_sound_bytes));
}

Result<void> SpeechOutput::commit() {
  SVC_CHECK(finish_head());
  if (m_file && m_plan.place == SpeechPlace::Chosen) {
    SVC_TRY(name, m_file->commit_first_free([this](std::size_t number) {
      return free_speech_name(m_plan.codec, number);
    }));
    m_name = name;
  } else if (m_file) {
    m_name = m_file->path();
    SVC_CHECK(m_file->commit());
  }
  m_file.reset();
  SVC_CHECK(write_times());
  return report();
}

Result<void> SpeechOutput::write_times() {
  if ((m_timestamps || m_subtitles) && !m_timed) {
    m_session.notices().warning("the response has no timestamps");
  }
  if (m_timestamps) {
    SVC_CHECK(
        m_timestamps->write(fmt::format(R"({{"duration":{},"audio_timestamps":{{"graph_chars":[)",
                                        compact_json(OrderedJson(m_seconds)))));
    SVC_CHECK(copy(m_chars, *m_timestamps));
    SVC_CHECK(m_timestamps->write(R"(],"graph_times":[)"));
    SVC_CHECK(copy(m_spans, *m_timestamps));
    SVC_CHECK(m_timestamps->write("]}}\n"));
    SVC_CHECK(m_timestamps->commit());
  }
  if (m_subtitles) {
    SVC_CHECK(m_subtitles->write(m_cues.finish()));
    SVC_CHECK(m_subtitles->commit());
  }
  return {};
}

Result<void> SpeechOutput::report() {
  m_session.progress().clear();
  if (m_session.format() == Format::Text) {
    if (m_plan.place != SpeechPlace::Chosen) return {};
    SVC_CHECK(m_session.write_foreign(m_name + "\n"));
    return m_session.out().flush();
  }
  if (m_plan.document || m_name.empty() || m_session.format() == Format::Raw) return {};
  OrderedJson report = {
      {"file", m_name}, {"bytes", m_bytes}, {"codec", voice::codec_name(m_plan.codec)}};
  if (m_seconds > 0) report["seconds"] = m_seconds;
  SVC_CHECK(m_session.write_document(compact_json(report)));
  return m_session.out().flush();
}

void SpeechOutput::keep() {
  if (!m_file) return;
  (void)finish_head();
  const Result<std::string> kept = m_file->save_partial();
  if (kept && !kept->empty()) {
    m_session.notices().note(
        fmt::format("partial audio saved in {}", visible(*kept, Lines::Escape)));
  }
}

}  // namespace svc::cli
