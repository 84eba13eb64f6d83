#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/text.h"
#include "voice/transcript.h"

namespace svc::voice {
namespace {

std::string clock_time(std::int64_t ms, char point) {
  return fmt::format("{:02}:{:02}:{:02}{}{:03}", ms / 3'600'000, ms / 60'000 % 60, ms / 1000 % 60,
                     point, ms % 1000);
}

std::int64_t to_ms(double seconds) {
  return static_cast<std::int64_t>(std::llround(std::clamp(seconds, 0.0, 3.6e8) * 1000));
}

/// One line of a cue: the form's own marks must not come out of the text.
std::string cue_text(std::string_view text, TranscriptFormat format) {
  std::string flat(text);
  std::replace_if(
      flat.begin(), flat.end(), [](char c) { return c == '\n' || c == '\r' || c == '\0'; }, ' ');
  if (format == TranscriptFormat::Srt) return replace_all(std::move(flat), "-->", "->");
  flat = replace_all(std::move(flat), "&", "&amp;");
  flat = replace_all(std::move(flat), "<", "&lt;");
  return replace_all(std::move(flat), ">", "&gt;");
}

/// A column of a line of words.
std::string cell(std::string_view text) {
  std::string flat(trim(text));
  std::replace_if(
      flat.begin(), flat.end(), [](char c) { return c == '\t' || c == '\n' || c == '\r'; }, ' ');
  return flat;
}

std::string word_line(const Word& word) {
  return fmt::format("{:.2f}\t{:.2f}\t{}\t{}\t{}\t{}\n", word.start, word.end, cell(word.text),
                     word.confidence ? fmt::format("{:.2f}", *word.confidence) : "",
                     word.speaker ? std::to_string(*word.speaker + 1) : "",
                     word.channel ? std::to_string(*word.channel + 1) : "");
}

}  // namespace

std::string cue_time(double seconds, char point) {
  return clock_time(to_ms(seconds), point);
}

TranscriptWriter::TranscriptWriter(TranscriptFormat format, std::size_t channels)
    : m_format(format), m_channels(channels) {}

std::string TranscriptWriter::add(const Transcript& piece) {
  switch (m_format) {
    case TranscriptFormat::Text:
      return add_text(piece);
    case TranscriptFormat::Srt:
    case TranscriptFormat::Vtt:
      return add_cues(piece);
    case TranscriptFormat::Words: {
      std::string lines;
      for (const Word& word : piece.words) lines += word_line(word);
      return lines;
    }
    case TranscriptFormat::Json:
      break;
  }
  if (blank_between(m_whole.text, piece.text)) m_whole.text += ' ';
  m_whole.text += piece.text;
  if (m_whole.language.empty()) m_whole.language = piece.language;
  m_whole.duration = std::max(m_whole.duration, piece.start + piece.duration);
  m_whole.words.insert(m_whole.words.end(), piece.words.begin(), piece.words.end());
  return {};
}

std::string TranscriptWriter::finish(std::optional<double> duration) {
  if (m_format == TranscriptFormat::Vtt && !m_begun) {
    m_begun = true;
    return "WEBVTT\n";
  }
  if (m_format != TranscriptFormat::Json) return {};
  if (duration) m_whole.duration = *duration;
  return transcript_json(m_whole) + "\n";
}

std::string TranscriptWriter::add_text(const Transcript& piece) {
  const bool labelled = std::any_of(piece.words.begin(), piece.words.end(), [&](const Word& word) {
    return !label_of(word, m_channels).empty();
  });
  if (!labelled) {
    const std::string_view text = trim(piece.text);
    if (!text.empty()) return std::string(text) + "\n";
    return piece.words.empty() ? std::string() : join_words(piece.words) + "\n";
  }
  std::string lines;
  std::string label;
  std::string line;
  const auto end_line = [&] {
    if (!line.empty()) {
      lines += label.empty() ? fmt::format("{}\n", line) : fmt::format("[{}] {}\n", label, line);
    }
    line.clear();
  };
  for (const SpeakerTurn& turn : speaker_turns(piece.words, m_channels, CueLimits{}.pause)) {
    if (turn.label != label) end_line();
    label = turn.label;
    const std::string words = join_words(turn.words);
    if (blank_between(line, words)) line += ' ';
    line += words;
  }
  end_line();
  return lines;
}

std::string TranscriptWriter::add_cues(const Transcript& piece) {
  const bool vtt = m_format == TranscriptFormat::Vtt;
  std::string text;
  if (vtt && !m_begun) text = "WEBVTT\n\n";
  m_begun = true;
  for (const Cue& cue : cut_cues(piece, m_channels)) {
    const std::int64_t start = std::max(to_ms(cue.start), m_last_ms);
    const std::int64_t end = std::max(to_ms(cue.end), start + 1);
    m_last_ms = start;
    const char point = vtt ? '.' : ',';
    text +=
        fmt::format("{}\n{} --> {}\n", ++m_cues, clock_time(start, point), clock_time(end, point));
    bool first = true;
    for (const std::string& line : cue.lines) {
      if (first && !cue.label.empty()) text += fmt::format("[{}] ", cue.label);
      text += cue_text(line, m_format) + "\n";
      first = false;
    }
    text += '\n';
  }
  return text;
}

}  // namespace svc::voice
