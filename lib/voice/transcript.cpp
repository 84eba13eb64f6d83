#include "voice/transcript.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "json/document.h"
#include "voice/event_json.h"

namespace svc::voice {
namespace {

using TranscriptJson = nlohmann::ordered_json;

const TranscriptJson* member_of(const TranscriptJson& object, const char* name) {
  if (!object.is_object()) return nullptr;
  const auto found = object.find(name);
  return found == object.end() || found->is_null() ? nullptr : &*found;
}

std::optional<double> number_of(const TranscriptJson& object, const char* name) {
  const TranscriptJson* value = member_of(object, name);
  if (value == nullptr) return std::nullopt;
  if (value->is_number()) return value->get<double>();
  if (value->is_string()) return parse_number(value->get_ref<const std::string&>());
  return std::nullopt;
}

std::optional<std::int64_t> index_of(const TranscriptJson& object, const char* name) {
  const auto value = number_of(object, name);
  if (!value || *value < 0 || *value > 1e6) return std::nullopt;
  return static_cast<std::int64_t>(*value);
}

void take_words(const TranscriptJson& from, std::optional<std::int64_t> channel,
                std::vector<Word>& words) {
  const TranscriptJson* list = member_of(from, "words");
  if (list == nullptr || !list->is_array()) return;
  for (const TranscriptJson& item : *list) {
    Word word{.text = text_member(item, "text"),
              .start = std::max(0.0, number_of(item, "start").value_or(0)),
              .confidence = number_of(item, "confidence"),
              .speaker = index_of(item, "speaker"),
              .channel = channel ? channel : index_of(item, "channel")};
    word.end = std::max(word.start, number_of(item, "end").value_or(word.start));
    if (!trim(word.text).empty()) words.push_back(std::move(word));
  }
}

void sort_words(std::vector<Word>& words) {
  std::stable_sort(words.begin(), words.end(),
                   [](const Word& a, const Word& b) { return a.start < b.start; });
}

struct FormatName {
  std::string_view name;
  std::string_view ending;
  TranscriptFormat format;
};
constexpr std::array k_formats = {FormatName{"text", "txt", TranscriptFormat::Text},
                                  FormatName{"srt", "srt", TranscriptFormat::Srt},
                                  FormatName{"vtt", "vtt", TranscriptFormat::Vtt},
                                  FormatName{"json", "json", TranscriptFormat::Json},
                                  FormatName{"words", "tsv", TranscriptFormat::Words}};

/// Scripts that put no blank between words: Han, kana, Thai, Lao, Khmer, Burmese.
bool has_no_blanks(char32_t c) {
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

}  // namespace

Result<Transcript> read_transcript(std::string_view text) {
  const TranscriptJson document = TranscriptJson::parse(text, nullptr, false);
  if (!document.is_object()) {
    return Error{Fault::Network, "the service sent a transcript that is not a JSON object"};
  }
  Transcript transcript{.text = text_member(document, "text"),
                        .language = text_member(document, "language"),
                        .duration = std::max(0.0, number_of(document, "duration").value_or(0))};
  const TranscriptJson* channels = member_of(document, "channels");
  if (channels != nullptr && channels->is_array()) {
    std::int64_t position = 0;
    for (const TranscriptJson& channel : *channels) {
      take_words(channel, index_of(channel, "index").value_or(position++), transcript.words);
    }
  }
  // Without channels, or where there are only the merged words.
  if (transcript.words.empty()) take_words(document, std::nullopt, transcript.words);
  sort_words(transcript.words);
  return transcript;
}

std::optional<TranscriptFormat> parse_transcript_format(std::string_view name) {
  for (const FormatName& row : k_formats) {
    if (row.name == name) return row.format;
  }
  return std::nullopt;
}

std::string_view transcript_ending(TranscriptFormat format) {
  for (const FormatName& row : k_formats) {
    if (row.format == format) return row.ending;
  }
  return "txt";
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

bool blank_between(std::string_view before, std::string_view after) {
  if (before.empty() || after.empty()) return false;
  std::size_t at = 0;
  return !has_no_blanks(last_code_point(before)) && !has_no_blanks(decode_utf8(after, at));
}

std::string join_words(std::span<const Word> words) {
  std::string text;
  std::string_view before;
  for (const Word& word : words) {
    const std::string_view one = trim(word.text);
    if (blank_between(before, one)) text += ' ';
    text += one;
    before = one;
  }
  return text;
}

std::string transcript_json(const Transcript& transcript) {
  TranscriptJson document = {{"text", transcript.text},
                             {"language", transcript.language},
                             {"duration", transcript.duration}};
  if (!transcript.words.empty()) document["words"] = TranscriptJson::array();
  for (const Word& word : transcript.words) {
    TranscriptJson item = {{"text", word.text}, {"start", word.start}, {"end", word.end}};
    if (word.confidence) item["confidence"] = *word.confidence;
    if (word.speaker) item["speaker"] = *word.speaker;
    if (word.channel) item["channel"] = *word.channel;
    document["words"].push_back(std::move(item));
  }
  return message_line(document);
}

}  // namespace svc::voice
