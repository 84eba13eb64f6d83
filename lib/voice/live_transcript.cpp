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
constexpr double k_unheard_seconds = 30;

/// Collapses whitespace to single spaces and trims the text.
std::string squeezed(std::string_view text) {
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
std::string spoken(std::string_view text) {
  std::string out;
  for (const char c : to_lower(text)) {
    if (std::string_view(".,;:!?\"").find(c) == std::string_view::npos) out += c;
  }
  return squeezed(out);
}

void append_text(std::string& whole, const std::string& text) {
  if (text.empty()) return;
  if (blank_between(whole, text)) whole += ' ';
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
template <typename Piece>
bool contains(const Piece& later, const Piece& locked) {
  if (!later.words.empty() && locked.end) {
    return later.words.front().start < *locked.end - k_slack;
  }
  return spoken(later.text).starts_with(spoken(locked.text));
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
    channel.said_until = channel.final_end;
    channel.cut = channel.done = false;
    channel.text.clear();
  }
}

LiveEvent LiveTranscript::take(std::string_view message, double sent) {
  m_sent = std::max(m_sent, sent);
  const json event = read_event(message);
  const std::string type = text_member(event, "type");
  if (type == "transcript.created") {
    m_created = true;
    return {.kind = LiveEvent::Kind::Created};
  }
  if (type == "error") {
    return {.kind = LiveEvent::Kind::Error, .message = error_message_of(event)};
  }
  if (type != "transcript.partial" && type != "transcript.done") return {};
  const auto named = count_of(event, "channel_index");
  const std::size_t index = static_cast<std::size_t>(named.value_or(0));
  if (index >= m_channels.size()) return {};
  if (std::string language = text_member(event, "language"); !language.empty()) {
    m_language = std::move(language);
  }
  Piece piece;
  piece.text = std::string(trim(text_member(event, "text")));
  piece.words = read_words(event, m_offset, m_channels.size() > 1 ? static_cast<int>(index) : -1);
  if (const auto start = number_of(event, "start")) {
    piece.start = m_offset + *start;
    if (const auto duration = number_of(event, "duration")) piece.end = *piece.start + *duration;
  }
  if (!piece.words.empty()) {
    if (!piece.start) piece.start = piece.words.front().start;
    piece.end = std::max(piece.end.value_or(0), piece.words.back().end);
  }
  Channel& channel = m_channels[index];
  if (type == "transcript.partial") {
    return partial(channel, std::move(piece), flag_of(event, "is_final"),
                   flag_of(event, "speech_final"));
  }
  if (const auto duration = number_of(event, "duration")) channel.duration = m_offset + *duration;
  if (!named) {
    // One message covers all channels.
    for (Channel& other : m_channels) other.done = true;
  }
  return finish(channel, std::move(piece));
}

LiveEvent LiveTranscript::partial(Channel& channel, Piece piece, bool is_final, bool speech_final) {
  if (channel.done) return {};
  leave_out_repeated(channel, piece);
  if (!is_final) {
    channel.interim = std::move(piece);
    return {.kind = LiveEvent::Kind::Interim};
  }
  if (!speech_final) {
    std::erase_if(channel.locked, [&](const Piece& one) { return contains(piece, one); });
    if (!piece.text.empty()) channel.locked.push_back(std::move(piece));
    channel.interim = {};
    return {.kind = LiveEvent::Kind::Interim};
  }
  if (said_before(channel, piece)) return {};
  channel.interim = std::move(piece);
  auto utterance = keep(channel, take_open(channel));
  if (!utterance) return {.kind = LiveEvent::Kind::Interim};
  return {.kind = LiveEvent::Kind::Final, .utterance = std::move(utterance)};
}

/// Returns what `transcript.done` adds to the final text: the rest of its text, the later words, or
/// the interim text if it has none.
LiveEvent LiveTranscript::finish(Channel& channel, Piece piece) {
  LiveEvent event{.kind = LiveEvent::Kind::Done};
  leave_out_repeated(channel, piece);
  channel.done = true;
  channel.text = piece.text;
  std::string said;
  for (std::size_t i = channel.first; i < channel.utterances.size(); ++i) {
    append_text(said, channel.utterances[i].text);
  }
  Piece rest = take_open(channel);
  if (const std::string whole = squeezed(piece.text); !whole.empty()) {
    std::erase_if(piece.words, [&](const Word& word) {
      return (word.start + word.end) / 2 < channel.final_end;
    });
    const auto remainder = behind(whole, squeezed(said));
    if (remainder) {
      rest.text = *remainder;
    } else if (!piece.words.empty()) {
      rest.text = join_words(piece.words);
    }
    if (!piece.words.empty()) {
      rest.start = piece.words.front().start;
      rest.end = piece.words.back().end;
      rest.words = std::move(piece.words);
    }
  }
  event.utterance = keep(channel, std::move(rest));
  return event;
}

/// Removes repeated text: a connection that resends audio transcribes its start a second time.
void LiveTranscript::leave_out_repeated(Channel& channel, Piece& piece) {
  if (channel.said_until <= 0 || !piece.start || *piece.start >= channel.said_until - k_slack) {
    return;
  }
  const std::size_t before = piece.words.size();
  std::erase_if(piece.words,
                [&](const Word& word) { return (word.start + word.end) / 2 < channel.said_until; });
  if (before == 0 || piece.words.size() == before) return;
  channel.cut = true;
  piece.text = join_words(piece.words);
  if (!piece.words.empty()) piece.start = piece.words.front().start;
}

bool LiveTranscript::said_before(const Channel& channel, const Piece& piece) {
  if (channel.utterances.size() <= channel.first || !piece.start || !piece.end) return false;
  const Piece& last = channel.utterances.back();
  return last.start == piece.start && last.end == piece.end && last.text == piece.text;
}

bool LiveTranscript::is_open(const Channel& channel) {
  return !channel.locked.empty() || !channel.interim.text.empty();
}

/// Joins the locked pieces that are not repeated and the latest interim text.
LiveTranscript::Piece LiveTranscript::open_piece(const Channel& channel) {
  Piece whole;
  const auto add = [&whole](const Piece& piece) {
    append_text(whole.text, piece.text);
    whole.words.insert(whole.words.end(), piece.words.begin(), piece.words.end());
    if (!whole.start) whole.start = piece.start;
    if (piece.end) whole.end = std::max(whole.end.value_or(0), *piece.end);
  };
  for (const Piece& piece : channel.locked) {
    if (channel.interim.text.empty() || !contains(channel.interim, piece)) add(piece);
  }
  add(channel.interim);
  return whole;
}

LiveTranscript::Piece LiveTranscript::take_open(Channel& channel) {
  Piece whole = open_piece(channel);
  channel.locked.clear();
  channel.interim = {};
  return whole;
}

std::optional<Transcript> LiveTranscript::keep(Channel& channel, Piece piece) {
  if (piece.end) channel.final_end = std::max(channel.final_end, *piece.end);
  if (piece.text.empty()) return std::nullopt;
  if (!piece.end) channel.final_end = m_sent;
  channel.utterances.push_back(piece);
  Transcript utterance{.text = std::move(piece.text),
                       .language = m_language,
                       .start = piece.start.value_or(m_sent),
                       .words = std::move(piece.words)};
  utterance.duration = std::max(0.0, piece.end.value_or(m_sent) - utterance.start);
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
  return open_piece(m_channels.at(static_cast<std::size_t>(channel))).text;
}

std::vector<Transcript> LiveTranscript::close() {
  std::vector<Transcript> rest;
  for (Channel& channel : m_channels) {
    if (auto utterance = keep(channel, take_open(channel))) rest.push_back(*std::move(utterance));
  }
  return rest;
}

double LiveTranscript::settled(double sent, bool interim) const {
  double latest = 0;
  for (const Channel& channel : m_channels) latest = std::max(latest, channel.final_end);
  double needed = sent;
  for (const Channel& channel : m_channels) {
    double until = channel.final_end;
    if (!is_open(channel)) {
      until = std::max(until, latest);
      if (interim) until = std::max(until, sent - k_unheard_seconds);
    }
    needed = std::min(needed, until);
  }
  return std::max(needed, 0.0);
}

std::string LiveTranscript::text_of_channel(const Channel& channel) {
  std::string text;
  const bool whole = !channel.cut && !channel.text.empty();
  const std::size_t count = whole ? channel.first : channel.utterances.size();
  for (std::size_t i = 0; i < count; ++i) append_text(text, channel.utterances[i].text);
  if (whole) append_text(text, channel.text);
  return text;
}

Transcript LiveTranscript::transcript() const {
  Transcript whole{.language = m_language, .duration = m_sent};
  std::vector<const Piece*> pieces;
  std::optional<double> duration;
  for (const Channel& channel : m_channels) {
    for (const Piece& piece : channel.utterances) {
      pieces.push_back(&piece);
      whole.words.insert(whole.words.end(), piece.words.begin(), piece.words.end());
    }
    if (channel.duration) duration = std::max(duration.value_or(0), *channel.duration);
  }
  whole.duration = duration.value_or(m_sent);
  std::stable_sort(whole.words.begin(), whole.words.end(),
                   [](const Word& a, const Word& b) { return a.start < b.start; });
  if (m_channels.size() == 1) {
    whole.text = text_of_channel(m_channels.front());
    return whole;
  }
  std::stable_sort(pieces.begin(), pieces.end(), [](const Piece* a, const Piece* b) {
    return a->start.value_or(0) < b->start.value_or(0);
  });
  for (const Piece* piece : pieces) append_text(whole.text, piece->text);
  return whole;
}

}  // namespace svc::voice
