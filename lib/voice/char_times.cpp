#include "voice/char_times.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/base64.h"
#include "base/text.h"
#include "json/document.h"
#include "json/slices.h"
#include "voice/event_json.h"
#include "voice/speech_text.h"

namespace svc::voice {
namespace {

constexpr std::size_t k_max_rest = 64U << 20U;

Error invalid_timings_error() {
  return Error{Fault::Network, "the character timings in the response cannot be read"};
}

std::optional<double> seconds_of(const OrderedJson& value) {
  if (!value.is_number()) return std::nullopt;
  return std::max(0.0, value.get<double>());
}

bool read_time(const OrderedJson& time, CharTime& into) {
  std::optional<double> start;
  std::optional<double> end;
  if (time.is_array() && time.size() == 2) {
    start = seconds_of(time[0]);
    end = seconds_of(time[1]);
  } else if (time.is_object() && time.contains("start") && time.contains("end")) {
    start = seconds_of(time["start"]);
    end = seconds_of(time["end"]);
  }
  if (!start || !end) return false;
  into.start = *start;
  into.end = std::max(*start, *end);
  return true;
}

bool is_blank_text(sv text) {
  return trim(text).empty() || text == "\xC2\xA0" || text == "\xE3\x80\x80";
}

}  // namespace

Result<std::vector<CharTime>> read_char_times(sv json) {
  const OrderedJson document = OrderedJson::parse(json, nullptr, false);
  std::vector<CharTime> times;
  if (document.is_null()) return times;
  if (!document.is_object()) return invalid_timings_error();
  const auto chars = document.find("graph_chars");
  const auto spans = document.find("graph_times");
  if (chars == document.end() || spans == document.end() || chars->is_null() || spans->is_null()) {
    return times;
  }
  if (!chars->is_array() || !spans->is_array() || chars->size() != spans->size())
    return invalid_timings_error();
  for (std::size_t i = 0; i < chars->size(); ++i) {
    CharTime time;
    if (!(*chars)[i].is_string() || !read_time((*spans)[i], time)) return invalid_timings_error();
    time.text = (*chars)[i].get<std::string>();
    times.push_back(std::move(time));
  }
  return times;
}

Result<void> TimedSpeechReader::feed(sv bytes) {
  while (!bytes.empty()) {
    SVC_TRY(used, step(bytes));
    bytes.remove_prefix(used);
  }
  if (m_rest.size() <= k_max_rest) return {};
  return Error{Fault::Network,
               fmt::format("the response contains more than {} in addition to its audio",
                           format_bytes(k_max_rest))};
}

/// Processes part of `bytes` and returns the number of bytes used.
Result<std::size_t> TimedSpeechReader::step(sv bytes) {
  switch (m_state) {
    case State::Audio:
      return audio(bytes);
    case State::Text:
      return text(bytes);
    case State::Outside:
      break;
  }
  structure(bytes.front());
  m_rest += bytes.front();
  return std::size_t{1};
}

void TimedSpeechReader::structure(char c) {
  if (c == ' ' || c == '\t' || c == '\n' || c == '\r') return;
  if (c == '"') {
    m_named = m_naming;
    if (m_named) m_name.clear();
    m_state = m_is_audio ? State::Audio : State::Text;
    m_found = m_found || m_is_audio;
  }
  if (c == '{' || c == '[') ++m_depth;
  if (c == '}' || c == ']') --m_depth;
  m_naming = m_depth == 1 && (c == '{' || c == ',');
  m_is_audio = c == ':' && m_depth == 1 && m_name == "audio";
}

std::size_t TimedSpeechReader::text(sv bytes) {
  std::size_t end = 0;
  while (end < bytes.size() && m_state == State::Text) {
    const char c = bytes[end++];
    if (c == '"' && !m_escaped) m_state = State::Outside;
    m_escaped = c == '\\' && !m_escaped;
    if (m_named && m_state == State::Text) m_name += c;
  }
  m_rest += bytes.substr(0, end);
  return end;
}

Result<std::size_t> TimedSpeechReader::audio(sv bytes) {
  constexpr std::size_t k_chunk_size = 64U << 10U;
  // Base64 needs no escapes, but a slash may be escaped.
  std::size_t end = std::min(bytes.find_first_of("\"\\"), bytes.size());
  m_base64 += bytes.substr(0, end);
  const bool whole = end < bytes.size() && bytes[end] == '"';
  if (whole) {
    m_rest += '"';
    m_state = State::Outside;
  }
  if (whole || m_base64.size() >= k_chunk_size) SVC_CHECK(decode(whole));
  return std::min(end + 1, bytes.size());
}

Result<void> TimedSpeechReader::decode(bool whole) {
  const std::size_t size = whole ? m_base64.size() : m_base64.size() / 4 * 4;
  const auto sound = base64_decode(sv(m_base64).substr(0, size));
  if (!sound || (m_padded && size > 0)) {
    return Error{Fault::Network, "the audio in the response is not base64"};
  }
  m_padded = size > 0 && m_base64[size - 1] == '=';
  m_base64.erase(0, size);
  return sound->empty() ? Result<void>() : m_sink(*sound);
}

Result<TimedSpeech> TimedSpeechReader::finish() const {
  if (!m_found)
    return Error{Fault::Network, "no audio in the response", "Inspect the response with --json."};
  TimedSpeech speech;
  if (const auto seconds = json_member(m_rest, "duration")) speech.seconds = parse_number(*seconds);
  SVC_TRY(times, read_char_times(json_member(m_rest, "audio_timestamps").value_or("null")));
  speech.times = std::move(times);
  return speech;
}

CharTimesJson char_times_json(const std::vector<CharTime>& times) {
  CharTimesJson json;
  for (const CharTime& time : times) {
    if (!json.chars.empty()) {
      json.chars += ',';
      json.spans += ',';
    }
    json.chars += compact_json(OrderedJson(time.text));
    json.spans += compact_json(OrderedJson{{"start", time.start}, {"end", time.end}});
  }
  return json;
}

Transcript spoken_words(const std::vector<CharTime>& times) {
  std::string text;
  std::vector<std::size_t> owner;  // of each byte
  for (std::size_t i = 0; i < times.size(); ++i) {
    text += times[i].text;
    owner.resize(text.size(), i);
  }
  Transcript transcript;
  Word word;
  const auto end_word = [&] {
    if (!word.text.empty()) transcript.words.push_back(word);
    word = {};
  };
  for (std::size_t at = 0; at < text.size();) {
    if (const auto tag = tag_at(text, at); tag && tag->known) {
      if (tag->kind == Tag::Kind::Inline) end_word();
      at = tag->end;
      continue;
    }
    const CharTime& time = times[owner[at]];
    std::size_t next = at;
    while (next < text.size() && owner[next] == owner[at]) ++next;
    if (is_blank_text(time.text)) {
      end_word();
    } else {
      if (word.text.empty()) word.start = time.start;
      word.text += time.text;
      word.end = std::max(word.end, time.end);
    }
    at = next;
  }
  end_word();
  transcript.text = join_words(transcript.words);
  for (const Word& one : transcript.words) {
    transcript.duration = std::max(transcript.duration, one.end);
  }
  return transcript;
}

}  // namespace svc::voice
