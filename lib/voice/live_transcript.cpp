#include "voice/live_transcript.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "base/text.h"
#include "json/document.h"
#include "voice/event_json.h"

namespace svc::voice {
namespace {

using nlohmann::json;

/// Times are rounded to hundredths of a second.
constexpr double k_slack = 0.011;
/// Audio that the service may still transcribe even though it has not recognised anything in it.
constexpr double k_unrecognized_seconds = 30;

/// Collapses whitespace to single spaces and trims the text.
std::string collapse_whitespace(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool blank = c == ' ' || c == '\n' || c == '\r' || c == '\t';
    if (!blank) {
      out += c;
    } else if (!out.empty() && out.back() != ' ') {
      out += ' ';
    }
  }
  while (!out.empty() && out.back() == ' ') out.pop_back();
  return out;
}

/// Normalises text for comparison: a final text may change case and punctuation.
std::string normalized(std::string_view text) {
  std::string out;
  for (const char c : to_lower(text)) {
    if (std::string_view(".,;:!?\"").find(c) == std::string_view::npos) out += c;
  }
  return collapse_whitespace(out);
}

void append_text(std::string& whole, const std::string& text) {
  if (text.empty()) return;
  if (needs_space(whole, text)) whole += ' ';
  whole += text;
}

std::vector<Word> read_words(const json& event, double offset, int channel) {
  std::vector<Word> words;
  const json& list = member(event, "words");
  if (!list.is_array()) return words;
  for (const json& one : list) {
    Word word;
    word.text = std::string(trim(text_member(one, "text")));
    if (word.text.empty()) continue;
    word.start = offset + number_of(one, "start").value_or(words.empty() ? 0 : words.back().end);
    word.end = std::max(word.start, offset + number_of(one, "end").value_or(0));
    word.confidence = number_of(one, "confidence");
    word.speaker = count_of(one, "speaker");
    if (channel >= 0) word.channel = channel;
    words.push_back(std::move(word));
  }
  return words;
}

/// Whether `later` repeats `locked`: compares word times, or else the text.
template <typename Segment>
bool contains(const Segment& later, const Segment& locked) {
  if (!later.words.empty() && locked.end) return later.words.front().start < *locked.end - k_slack;
  return normalized(later.text).starts_with(normalized(locked.text));
}

/// The rest of `whole` after `beginning`, if that ends at a word boundary; otherwise nothing.
std::optional<std::string> behind(const std::string& whole, const std::string& beginning) {
  if (!whole.starts_with(beginning)) return std::nullopt;
  const std::string rest = whole.substr(beginning.size());
  if (!beginning.empty() && !rest.empty() && rest.front() != ' ') return std::nullopt;
  return std::string(trim(rest));
}

}  // namespace

LiveTranscript::LiveTranscript(int channels)
    : m_channels(static_cast<std::size_t>(std::max(channels, 1))) {}

void LiveTranscript::begin(double offset) {
  m_offset = offset;
  m_created = false;
  for (Channel& channel : m_channels) {
    channel.locked.clear();
    channel.interim = {};
    channel.first = channel.utterances.size();
    channel.repeated_until = channel.final_end;
    channel.cut = channel.done = false;
    channel.text.clear();
  }
}

LiveEvent LiveTranscript::feed(std::string_view message, double sent) {
  m_sent = std::max(m_sent, sent);
  const json event = read_event(message);
  const std::string type = text_member(event, "type");
  if (type == "transcript.created") {
    m_created = true;
    return {.kind = LiveEvent::Kind::Created};
  }
  if (type == "error") return {.kind = LiveEvent::Kind::Error, .message = error_message_of(event)};
  if (type != "transcript.partial" && type != "transcript.done") return {};
  const auto named = count_of(event, "channel_index");
  const std::size_t index = static_cast<std::size_t>(named.value_or(0));
  if (index >= m_channels.size()) return {};
  if (std::string language = text_member(event, "language"); !language.empty()) {
    m_language = std::move(language);
  }
  Segment segment;
  segment.text = std::string(trim(text_member(event, "text")));
  segment.words = read_words(event, m_offset, m_channels.size() > 1 ? static_cast<int>(index) : -1);
  if (const auto start = number_of(event, "start")) {
    segment.start = m_offset + *start;
    if (const auto duration = number_of(event, "duration"))
      segment.end = *segment.start + *duration;
  }
  if (!segment.words.empty()) {
    if (!segment.start) segment.start = segment.words.front().start;
    segment.end = std::max(segment.end.value_or(0), segment.words.back().end);
  }
  Channel& channel = m_channels[index];
  if (type == "transcript.partial") {
    return partial(channel, std::move(segment), flag_of(event, "is_final"),
                   flag_of(event, "speech_final"));
  }
  if (const auto duration = number_of(event, "duration")) channel.duration = m_offset + *duration;
  if (!named) {
    // One message covers all channels.
    for (Channel& other : m_channels) other.done = true;
  }
  return finish(channel, std::move(segment));
}

LiveEvent LiveTranscript::partial(Channel& channel, Segment segment, bool is_final,
                                  bool speech_final) {
  if (channel.done) return {};
  remove_repeated(channel, segment);
  if (!is_final) {
    channel.interim = std::move(segment);
    return {.kind = LiveEvent::Kind::Interim};
  }
  if (!speech_final) {
    std::erase_if(channel.locked, [&](const Segment& one) { return contains(segment, one); });
    if (!segment.text.empty()) channel.locked.push_back(std::move(segment));
    channel.interim = {};
    return {.kind = LiveEvent::Kind::Interim};
  }
  if (is_repetition(channel, segment)) return {};
  channel.interim = std::move(segment);
  auto utterance = add_utterance(channel, take_open(channel));
  if (!utterance) return {.kind = LiveEvent::Kind::Interim};
  return {.kind = LiveEvent::Kind::Final, .utterance = std::move(utterance)};
}

/// Returns what `transcript.done` adds to the final text: the rest of its text, the later words, or
/// the interim text if it has none.
LiveEvent LiveTranscript::finish(Channel& channel, Segment segment) {
  LiveEvent event{.kind = LiveEvent::Kind::Done};
  remove_repeated(channel, segment);
  channel.done = true;
  channel.text = segment.text;
  std::string transcribed;
  for (std::size_t i = channel.first; i < channel.utterances.size(); ++i) {
    append_text(transcribed, channel.utterances[i].text);
  }
  Segment rest = take_open(channel);
  if (const std::string whole = collapse_whitespace(segment.text); !whole.empty()) {
    std::erase_if(segment.words, [&](const Word& word) {
      return (word.start + word.end) / 2 < channel.final_end;
    });
    const auto remainder = behind(whole, collapse_whitespace(transcribed));
    if (remainder) {
      rest.text = *remainder;
    } else if (!segment.words.empty()) {
      rest.text = join_words(segment.words);
    }
    if (!segment.words.empty()) {
      rest.start = segment.words.front().start;
      rest.end = segment.words.back().end;
      rest.words = std::move(segment.words);
    }
  }
  event.utterance = add_utterance(channel, std::move(rest));
  return event;
}

/// Removes repeated text: a connection that resends audio transcribes its start a second time.
void LiveTranscript::remove_repeated(Channel& channel, Segment& segment) {
  if (channel.repeated_until <= 0 || !segment.start ||
      *segment.start >= channel.repeated_until - k_slack) {
    return;
  }
  const std::size_t before = segment.words.size();
  std::erase_if(segment.words, [&](const Word& word) {
    return (word.start + word.end) / 2 < channel.repeated_until;
  });
  if (before == 0 || segment.words.size() == before) return;
  channel.cut = true;
  segment.text = join_words(segment.words);
  if (!segment.words.empty()) segment.start = segment.words.front().start;
}

bool LiveTranscript::is_repetition(const Channel& channel, const Segment& segment) {
  if (channel.utterances.size() <= channel.first || !segment.start || !segment.end) return false;
  const Segment& last = channel.utterances.back();
  return last.start == segment.start && last.end == segment.end && last.text == segment.text;
}

bool LiveTranscript::is_open(const Channel& channel) {
  return !channel.locked.empty() || !channel.interim.text.empty();
}

/// Joins the locked segments that are not repeated and the latest interim text.
LiveTranscript::Segment LiveTranscript::open_segment(const Channel& channel) {
  Segment whole;
  const auto add = [&whole](const Segment& segment) {
    append_text(whole.text, segment.text);
    whole.words.insert(whole.words.end(), segment.words.begin(), segment.words.end());
    if (!whole.start) whole.start = segment.start;
    if (segment.end) whole.end = std::max(whole.end.value_or(0), *segment.end);
  };
  for (const Segment& segment : channel.locked) {
    if (channel.interim.text.empty() || !contains(channel.interim, segment)) add(segment);
  }
  add(channel.interim);
  return whole;
}

LiveTranscript::Segment LiveTranscript::take_open(Channel& channel) {
  Segment whole = open_segment(channel);
  channel.locked.clear();
  channel.interim = {};
  return whole;
}

std::optional<Transcript> LiveTranscript::add_utterance(Channel& channel, Segment segment) {
  if (segment.end) channel.final_end = std::max(channel.final_end, *segment.end);
  if (segment.text.empty()) return std::nullopt;
  if (!segment.end) channel.final_end = m_sent;
  channel.utterances.push_back(segment);
  Transcript utterance{.text = std::move(segment.text),
                       .language = m_language,
                       .start = segment.start.value_or(m_sent),
                       .words = std::move(segment.words)};
  utterance.duration = std::max(0.0, segment.end.value_or(m_sent) - utterance.start);
  return utterance;
}

bool LiveTranscript::done() const noexcept {
  return std::all_of(m_channels.begin(), m_channels.end(),
                     [](const Channel& channel) { return channel.done; });
}

bool LiveTranscript::open() const noexcept {
  return std::any_of(m_channels.begin(), m_channels.end(), is_open);
}

std::string LiveTranscript::open_text(int channel) const {
  return open_segment(m_channels.at(static_cast<std::size_t>(channel))).text;
}

std::vector<Transcript> LiveTranscript::close() {
  std::vector<Transcript> rest;
  for (Channel& channel : m_channels) {
    if (auto utterance = add_utterance(channel, take_open(channel)))
      rest.push_back(*std::move(utterance));
  }
  return rest;
}

double LiveTranscript::resend_from(double sent, bool interim) const {
  double latest = 0;
  for (const Channel& channel : m_channels) latest = std::max(latest, channel.final_end);
  double needed = sent;
  for (const Channel& channel : m_channels) {
    double until = channel.final_end;
    if (!is_open(channel)) {
      until = std::max(until, latest);
      if (interim) until = std::max(until, sent - k_unrecognized_seconds);
    }
    needed = std::min(needed, until);
  }
  return std::max(needed, 0.0);
}

std::string LiveTranscript::channel_text(const Channel& channel) {
  std::string text;
  const bool whole = !channel.cut && !channel.text.empty();
  const std::size_t count = whole ? channel.first : channel.utterances.size();
  for (std::size_t i = 0; i < count; ++i) append_text(text, channel.utterances[i].text);
  if (whole) append_text(text, channel.text);
  return text;
}

Transcript LiveTranscript::transcript() const {
  Transcript whole{.language = m_language, .duration = m_sent};
  std::vector<const Segment*> segments;
  std::optional<double> duration;
  for (const Channel& channel : m_channels) {
    for (const Segment& segment : channel.utterances) {
      segments.push_back(&segment);
      whole.words.insert(whole.words.end(), segment.words.begin(), segment.words.end());
    }
    if (channel.duration) duration = std::max(duration.value_or(0), *channel.duration);
  }
  whole.duration = duration.value_or(m_sent);
  std::stable_sort(whole.words.begin(), whole.words.end(),
                   [](const Word& a, const Word& b) { return a.start < b.start; });
  if (m_channels.size() == 1) {
    whole.text = channel_text(m_channels.front());
    return whole;
  }
  std::stable_sort(segments.begin(), segments.end(), [](const Segment* a, const Segment* b) {
    return a->start.value_or(0) < b->start.value_or(0);
  });
  for (const Segment* segment : segments) append_text(whole.text, segment->text);
  return whole;
}

}  // namespace svc::voice
