#include "voice/transcript.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "json/document.h"
#include "voice/cues.h"
#include "voice/event_json.h"

namespace svc::voice {
namespace {

using nlohmann::json;

/// A number, which may be in a string.
std::optional<double> amount_of(const json& object, const char* name) {
  const json& value = member(object, name);
  if (value.is_number()) return value.get<double>();
  return value.is_string() ? parse_number(value.get_ref<const std::string&>()) : std::nullopt;
}

std::optional<std::int64_t> index_of(const json& object, const char* name) {
  const auto value = amount_of(object, name);
  if (!value || *value < 0 || *value > 1e6) return std::nullopt;
  return static_cast<std::int64_t>(*value);
}

void take_words(const json& from, std::optional<std::int64_t> channel, std::vector<Word>& words) {
  const json& list = member(from, "words");
  if (!list.is_array()) return;
  for (const json& item : list) {
    Word word{.text = text_member(item, "text"),
              .start = std::max(0.0, amount_of(item, "start").value_or(0)),
              .confidence = amount_of(item, "confidence"),
              .speaker = index_of(item, "speaker"),
              .channel = channel ? channel : index_of(item, "channel")};
    word.end = std::max(word.start, amount_of(item, "end").value_or(word.start));
    if (!trim(word.text).empty()) words.push_back(std::move(word));
  }
}

struct FormatName {
  std::string_view name;
  std::string_view extension;
  TranscriptFormat format;
};
constexpr std::array k_formats = {FormatName{"text", "txt", TranscriptFormat::Text},
                                  FormatName{"srt", "srt", TranscriptFormat::Srt},
                                  FormatName{"vtt", "vtt", TranscriptFormat::Vtt},
                                  FormatName{"json", "json", TranscriptFormat::Json},
                                  FormatName{"words", "tsv", TranscriptFormat::Words}};

/// Scripts written without spaces between words: Han, kana, Thai, Lao, Khmer, Burmese.
bool is_written_without_spaces(char32_t c) {
  return (c >= 0x3040 && c <= 0x30FF) || (c >= 0x3400 && c <= 0x4DBF) ||
         (c >= 0x4E00 && c <= 0x9FFF) || (c >= 0x20000 && c <= 0x2FA1F) ||
         (c >= 0x3001 && c <= 0x3003) || (c >= 0xFF01 && c <= 0xFF1F) ||
         (c >= 0x0E01 && c <= 0x0EFF) || (c >= 0x1000 && c <= 0x109F) ||
         (c >= 0x1780 && c <= 0x17FF);
}

char32_t last_code_point(std::string_view text) {
  char32_t last = 0;
  for (std::size_t at = 0; at < text.size();) last = decode_utf8(text, at);
  return last;
}

std::string clock_time(std::int64_t ms, char point) {
  return fmt::format("{:02}:{:02}:{:02}{}{:03}", ms / 3'600'000, ms / 60'000 % 60, ms / 1000 % 60,
                     point, ms % 1000);
}

std::int64_t to_ms(double seconds) {
  return static_cast<std::int64_t>(std::llround(std::clamp(seconds, 0.0, 3.6e8) * 1000));
}

/// A line of a cue: the text must not contain the format's own markup.
std::string cue_text(std::string_view text, TranscriptFormat format) {
  std::string flat(text);
  std::replace_if(
      flat.begin(), flat.end(), [](char c) { return c == '\n' || c == '\r' || c == '\0'; }, ' ');
  if (format == TranscriptFormat::Srt) return replace_all(std::move(flat), "-->", "->");
  flat = replace_all(std::move(flat), "&", "&amp;");
  flat = replace_all(std::move(flat), "<", "&lt;");
  return replace_all(std::move(flat), ">", "&gt;");
}

/// A column of a tab-separated line.
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

Result<Transcript> read_transcript(std::string_view text) {
  const json document = json::parse(text, nullptr, false);
  if (!document.is_object()) {
    return Error{Fault::Network, "the transcript in the response is not a JSON object"};
  }
  const json& said = member(document, "text");
  const bool has_words = document.contains("words") || document.contains("channels");
  if (!said.is_string() && (!said.is_null() || !has_words)) {
    return Error{Fault::Network, "expected the transcript in the response as \"text\", got " +
                                     std::string(said.is_null() ? "none" : said.type_name())};
  }
  Transcript transcript{.text = text_member(document, "text"),
                        .language = text_member(document, "language"),
                        .duration = std::max(0.0, amount_of(document, "duration").value_or(0))};
  if (const json& channels = member(document, "channels"); channels.is_array()) {
    std::int64_t position = 0;
    for (const json& channel : channels) {
      take_words(channel, index_of(channel, "index").value_or(position++), transcript.words);
    }
  }
  // No channels, or only the merged words.
  if (transcript.words.empty()) take_words(document, std::nullopt, transcript.words);
  std::stable_sort(transcript.words.begin(), transcript.words.end(),
                   [](const Word& a, const Word& b) { return a.start < b.start; });
  return transcript;
}

std::optional<TranscriptFormat> parse_transcript_format(std::string_view name) {
  for (const FormatName& row : k_formats) {
    if (row.name == name) return row.format;
  }
  return std::nullopt;
}

std::string_view transcript_extension(TranscriptFormat format) {
  return k_formats[static_cast<std::size_t>(format)].extension;
}

std::string label_of(const Word& word, std::size_t channels) {
  std::string label;
  if (word.channel && channels > 1) {
    if (channels == 2) {
      label = *word.channel == 0 ? "left" : "right";
    } else {
      label = fmt::format("channel {}", *word.channel + 1);
    }
  }
  if (word.speaker) label += fmt::format("{}{}", label.empty() ? "" : " ", *word.speaker + 1);
  return label;
}

bool needs_space(std::string_view before, std::string_view after) {
  if (before.empty() || after.empty()) return false;
  std::size_t at = 0;
  return !is_written_without_spaces(last_code_point(before)) &&
         !is_written_without_spaces(decode_utf8(after, at));
}

std::string join_words(std::span<const Word> words) {
  std::string text;
  std::string_view before;
  for (const Word& word : words) {
    const std::string_view one = trim(word.text);
    if (needs_space(before, one)) text += ' ';
    text += one;
    before = one;
  }
  return text;
}

std::string transcript_json(const Transcript& transcript) {
  OrderedJson document = {{"text", transcript.text},
                          {"language", transcript.language},
                          {"duration", transcript.duration}};
  if (!transcript.words.empty()) document["words"] = OrderedJson::array();
  for (const Word& word : transcript.words) {
    OrderedJson item = {{"text", word.text}, {"start", word.start}, {"end", word.end}};
    if (word.confidence) item["confidence"] = *word.confidence;
    if (word.speaker) item["speaker"] = *word.speaker;
    if (word.channel) item["channel"] = *word.channel;
    document["words"].push_back(std::move(item));
  }
  return compact_json(document);
}

TranscriptWriter::TranscriptWriter(TranscriptFormat format, std::size_t channels)
    : m_format(format), m_channels(channels) {}

std::string TranscriptWriter::add(const Transcript& segment) {
  switch (m_format) {
    case TranscriptFormat::Text:
      return add_text(segment);
    case TranscriptFormat::Srt:
    case TranscriptFormat::Vtt:
      return add_cues(segment);
    case TranscriptFormat::Words: {
      std::string lines;
      for (const Word& word : segment.words) lines += word_line(word);
      return lines;
    }
    case TranscriptFormat::Json:
      break;
  }
  if (needs_space(m_whole.text, segment.text)) m_whole.text += ' ';
  m_whole.text += segment.text;
  if (m_whole.language.empty()) m_whole.language = segment.language;
  m_whole.duration = std::max(m_whole.duration, segment.start + segment.duration);
  m_whole.words.insert(m_whole.words.end(), segment.words.begin(), segment.words.end());
  return {};
}

std::string TranscriptWriter::finish(std::optional<double> duration) {
  if (m_format == TranscriptFormat::Vtt && !m_started) {
    m_started = true;
    return "WEBVTT\n";
  }
  if (m_format != TranscriptFormat::Json) return {};
  if (duration) m_whole.duration = *duration;
  return transcript_json(m_whole) + "\n";
}

std::string TranscriptWriter::add_text(const Transcript& segment) {
  const bool labelled =
      std::any_of(segment.words.begin(), segment.words.end(),
                  [&](const Word& word) { return !label_of(word, m_channels).empty(); });
  if (!labelled) {
    const std::string_view text = trim(segment.text);
    if (!text.empty()) return std::string(text) + "\n";
    return segment.words.empty() ? std::string() : join_words(segment.words) + "\n";
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
  for (const SpeakerTurn& turn : speaker_turns(segment.words, m_channels, CueLimits{}.pause)) {
    if (turn.label != label) end_line();
    label = turn.label;
    const std::string words = join_words(turn.words);
    if (needs_space(line, words)) line += ' ';
    line += words;
  }
  end_line();
  return lines;
}

std::string subtitle(TranscriptFormat format, std::uint64_t number, std::int64_t start_ms,
                     std::int64_t end_ms, std::string_view label,
                     std::span<const std::string> lines) {
  const char point = format == TranscriptFormat::Vtt ? '.' : ',';
  std::string text = fmt::format("{}\n{} --> {}\n", number, clock_time(start_ms, point),
                                 clock_time(end_ms, point));
  if (!label.empty()) text += fmt::format("[{}] ", label);
  for (const std::string& line : lines) text += cue_text(line, format) + "\n";
  return text + "\n";
}

std::string TranscriptWriter::add_cues(const Transcript& segment) {
  const bool vtt = m_format == TranscriptFormat::Vtt;
  std::string text;
  if (vtt && !m_started) text = "WEBVTT\n\n";
  m_started = true;
  for (const Cue& cue : make_cues(segment, m_channels)) {
    const std::int64_t start = std::max(to_ms(cue.start), m_last_ms);
    const std::int64_t end = std::max(to_ms(cue.end), start + 1);
    m_last_ms = start;
    text += subtitle(m_format, ++m_cues, start, end, cue.label, cue.lines);
  }
  return text;
}

}  // namespace svc::voice
