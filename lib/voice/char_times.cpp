#include "voice/char_times.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "base/base64.h"
#include "base/text.h"
#include "json/slices.h"
#include "voice/event_json.h"
#include "voice/tags.h"

namespace svc::voice {
namespace {

using TimesJson = nlohmann::ordered_json;

Error no_times() {
  return Error{Fault::Network, "the times that the service sent beside the audio cannot be read"};
}

std::optional<double> seconds_of(const TimesJson& value) {
  if (!value.is_number()) return std::nullopt;
  return std::max(0.0, value.get<double>());
}

bool read_time(const TimesJson& time, CharTime& into) {
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
  const TimesJson document = TimesJson::parse(json, nullptr, false);
  std::vector<CharTime> times;
  if (document.is_null()) return times;
  if (!document.is_object()) return no_times();
  const auto chars = document.find("graph_chars");
  const auto spans = document.find("graph_times");
  if (chars == document.end() || spans == document.end() || chars->is_null() || spans->is_null()) {
    return times;
  }
  if (!chars->is_array() || !spans->is_array() || chars->size() != spans->size()) return no_times();
  for (std::size_t i = 0; i < chars->size(); ++i) {
    CharTime time;
    if (!(*chars)[i].is_string() || !read_time((*spans)[i], time)) return no_times();
    time.text = (*chars)[i].get<std::string>();
    times.push_back(std::move(time));
  }
  return times;
}

Result<TimedSpeech> read_timed_speech(sv body) {
  const auto audio = json_member(body, "audio");
  if (!audio || !audio->starts_with('"')) {
    return Error{Fault::Network, "the answer holds no audio", "Look at it with --json."};
  }
  // Base64 needs no escapes, but a slash may have one.
  auto bytes =
      base64_decode(replace_all(std::string(audio->substr(1, audio->size() - 2)), "\\/", "/"));
  if (!bytes) return Error{Fault::Network, "what the service sent as audio is not base64"};
  TimedSpeech speech{.audio = *std::move(bytes)};
  if (const auto seconds = json_member(body, "duration")) speech.seconds = parse_number(*seconds);
  SVC_TRY(times, read_char_times(json_member(body, "audio_timestamps").value_or("null")));
  speech.times = std::move(times);
  return speech;
}

void append_char_times(std::vector<CharTime>& times, const std::vector<CharTime>& more,
                       double offset) {
  for (const CharTime& time : more) {
    times.push_back({time.text, time.start + offset, time.end + offset});
  }
}

std::string char_times_json(const std::vector<CharTime>& times, double duration) {
  TimesJson chars = TimesJson::array();
  TimesJson spans = TimesJson::array();
  for (const CharTime& time : times) {
    chars.push_back(time.text);
    spans.push_back({{"start", time.start}, {"end", time.end}});
  }
  const TimesJson document = {
      {"duration", duration},
      {"audio_timestamps", {{"graph_chars", std::move(chars)}, {"graph_times", std::move(spans)}}}};
  return message_line(document);
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
