#include "commands/tts/output.h"

#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "json/document.h"
#include "print/json.h"
#include "voice/transcript.h"

namespace svc::cli {
namespace {

/// "speech.mp3", "speech-2.mp3", …
std::string free_speech_name(voice::Codec codec, std::size_t number) {
  return number == 1 ? fmt::format("speech.{}", voice::codec_ending(codec))
                     : fmt::format("speech-{}.{}", number, voice::codec_ending(codec));
}

Result<std::optional<AtomicFile>> open_beside(const std::string& path, Replace replace) {
  if (path.empty()) return std::optional<AtomicFile>();
  SVC_TRY(file, AtomicFile::create(path, replace));
  return std::optional<AtomicFile>(std::move(file));
}

}  // namespace

Result<SpeechOutput> SpeechOutput::open(Session& session, const SpeechPlan& plan) {
  SpeechOutput output(session, plan);
  const Replace replace = session.globals().force ? Replace::Yes : Replace::No;
  std::string path = plan.path;
  if (plan.place == SpeechPlace::Chosen) {
    std::size_t number = 1;
    std::error_code unknown;
    while (std::filesystem::exists(free_speech_name(plan.codec, number), unknown)) ++number;
    path = free_speech_name(plan.codec, number);
  }
  if (plan.place == SpeechPlace::File || plan.place == SpeechPlace::Chosen) {
    SVC_TRY(file, AtomicFile::create(path, replace));
    output.m_file.emplace(std::move(file));
  }
  SVC_TRY(timestamps, open_beside(plan.timestamps, replace));
  output.m_timestamps = std::move(timestamps);
  SVC_TRY(subtitles, open_beside(plan.subtitles, replace));
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
  return put(bytes);
}

Result<void> SpeechOutput::add_part(sv bytes, std::optional<double> seconds) {
  SVC_TRY(bare, voice::bare_sound(m_plan.codec, m_plan.rate, bytes));
  if (bare.wav) {
    if (m_wav && (m_wav->format != bare.wav->format || m_wav->bits != bare.wav->bits ||
                  m_wav->tag != bare.wav->tag)) {
      return Error{Fault::Network, "the parts of the speech are of different kinds",
                   "Choose --codec pcm or mp3."};
    }
    if (!m_wav) SVC_CHECK(put(voice::make_wav_head(*bare.wav, std::nullopt)));
    m_wav = bare.wav;
    m_sound_bytes += bare.bytes.size();
  }
  m_seconds += bare.seconds.value_or(seconds.value_or(0));
  return put(bare.bytes);
}

void SpeechOutput::add_times(const std::vector<voice::CharTime>& times) {
  voice::append_char_times(m_times, times, m_seconds);
}

Result<void> SpeechOutput::finish_head() {
  if (!m_wav || !m_file || m_file->is_straight()) return {};
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
  if ((m_timestamps || m_subtitles) && m_times.empty()) {
    m_session.notices().warning("the service sent no times beside the audio");
  }
  if (m_timestamps) {
    std::string text;
    print::Out out(print::string_sink(text));
    SVC_CHECK(print::print_json(out, voice::char_times_json(m_times, m_seconds)));
    SVC_CHECK(out.flush());
    SVC_CHECK(m_timestamps->write(text));
    SVC_CHECK(m_timestamps->commit());
  }
  if (m_subtitles) {
    const bool vtt = to_lower(m_plan.subtitles).ends_with(".vtt");
    voice::TranscriptWriter writer(vtt ? voice::TranscriptFormat::Vtt
                                       : voice::TranscriptFormat::Srt);
    const std::string cues = writer.add(voice::spoken_words(m_times));
    SVC_CHECK(m_subtitles->write(cues + writer.finish()));
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
  nlohmann::ordered_json report = {
      {"file", m_name}, {"bytes", m_bytes}, {"codec", voice::codec_name(m_plan.codec)}};
  if (m_seconds > 0) report["seconds"] = m_seconds;
  if (!m_plan.timestamps.empty()) report["timestamps"] = m_plan.timestamps;
  if (!m_plan.subtitles.empty()) report["subtitles"] = m_plan.subtitles;
  SVC_CHECK(m_session.write_document(compact_json(report)));
  return m_session.out().flush();
}

void SpeechOutput::keep() {
  if (!m_file || m_bytes == 0) return;
  (void)finish_head();
  const Result<std::string> kept = m_file->keep_partial();
  if (kept && !kept->empty()) {
    m_session.notices().note(
        fmt::format("what had arrived is kept in {}", visible(*kept, Lines::Escape)));
  }
}

}  // namespace svc::cli
