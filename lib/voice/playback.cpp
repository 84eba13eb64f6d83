#include "voice/playback.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/text.h"

namespace svc::voice {
namespace {

/// A fast talker: 24 letters, or 8 characters of three bytes. Faster text is ahead of its audio.
constexpr std::int64_t k_fastest_pace = 24;
constexpr std::size_t k_least_pieces = 4;

/// Whether text may be cut here. Scripts without spaces are cut between any two characters.
bool is_between_words(std::string_view text, std::size_t at) {
  if ((static_cast<unsigned char>(text[at]) & 0xc0U) == 0x80U) return false;
  return text[at] == ' ' || text[at] == '\n' || decode_utf8(text, at) >= k_first_without_spaces;
}

}  // namespace

void TextArrival::add(std::size_t size, std::int64_t audio_ms) {
  const auto bytes = static_cast<std::int64_t>(size);
  if (bytes <= m_size) {
    // The text was replaced by another version; what arrived with it says nothing.
    if (bytes < m_size) m_pieces.clear();
    m_size = bytes;
    return;
  }
  const std::int64_t begin = std::exchange(m_size, bytes);
  if (m_pieces.empty() || m_pieces.back().audio_ms < audio_ms) {
    m_pieces.push_back({begin, audio_ms});
  }
}

std::optional<std::int64_t> TextArrival::spoken(std::size_t size, bool whole_text,
                                                const Heard& heard) const {
  if (m_pieces.size() < k_least_pieces || m_pieces.back().audio_ms <= 0) return std::nullopt;
  const Piece& last = m_pieces.back();
  const bool all = whole_text && heard.complete;
  const bool in_step = all ? last.audio_ms * 4 >= heard.received_ms * 3 &&
                                 last.begin * 4 >= static_cast<std::int64_t>(size) * 3
                           : last.begin * 1000 <= last.audio_ms * k_fastest_pace;
  if (!in_step) return std::nullopt;
  const auto next = std::ranges::upper_bound(m_pieces, heard.heard_ms, {}, &Piece::audio_ms);
  if (next == m_pieces.begin()) return 0;
  const Piece from = *std::prev(next);
  Piece to{};
  if (next != m_pieces.end()) {
    to = *next;
  } else if (all && heard.received_ms > from.audio_ms) {
    to = {static_cast<std::int64_t>(size), heard.received_ms};
  } else {
    to = {from.begin + heard.pace, from.audio_ms + 1000};
  }
  return from.begin +
         (to.begin - from.begin) * (heard.heard_ms - from.audio_ms) / (to.audio_ms - from.audio_ms);
}

std::string_view spoken_part(std::string_view text, bool whole_text, const Heard& heard,
                             const TextArrival& arrival) {
  if (heard.complete && heard.heard_ms >= heard.received_ms) return text;
  const auto size = static_cast<std::int64_t>(text.size());
  const std::int64_t received = std::max<std::int64_t>(heard.received_ms, 1);
  std::int64_t spoken = size * heard.heard_ms / received;
  if (!whole_text || !heard.complete) spoken = std::min(spoken, heard.heard_ms * heard.pace / 1000);
  spoken = arrival.spoken(text.size(), whole_text, heard).value_or(spoken);
  if (spoken >= size) return text;
  auto end = static_cast<std::size_t>(std::max<std::int64_t>(spoken, 0));
  while (end > 0 && !is_between_words(text, end)) --end;
  return text.substr(0, end);
}

void Playback::write(const std::string& item, int content, std::uint64_t first,
                     std::uint64_t frames) {
  if (!m_segments.empty()) {
    Segment& last = m_segments.back();
    if (last.item == item && last.content == content && last.first + last.frames == first) {
      last.frames += frames;
      return;
    }
    // A new item starts, so all parts of the previous one have arrived.
    if (last.item != item) finish(last.item);
  }
  m_segments.push_back({.item = item, .content = content, .first = first, .frames = frames});
}

void Playback::finish(const std::string& item) {
  for (Segment& segment : m_segments) {
    if (segment.item == item) segment.finished = true;
  }
}

std::vector<Truncation> Playback::interrupt(std::uint64_t position) {
  std::vector<Truncation> truncations;
  for (const Segment& segment : m_segments) {
    const std::uint64_t played =
        position <= segment.first ? 0 : std::min(position - segment.first, segment.frames);
    if (played == segment.frames && segment.finished) continue;
    const auto ms = static_cast<std::int64_t>(played * 1000 / static_cast<std::uint64_t>(m_rate));
    // Stretches of the same item are consecutive, so their times add up.
    if (!truncations.empty() && truncations.back().item == segment.item &&
        truncations.back().content == segment.content) {
      truncations.back().played_ms += ms;
    } else {
      truncations.push_back({.item = segment.item, .content = segment.content, .played_ms = ms});
    }
  }
  m_segments.clear();
  return truncations;
}

std::uint64_t Playback::unheard(const std::string& item, std::uint64_t position) const {
  std::uint64_t frames = 0;
  for (const Segment& segment : m_segments) {
    if (segment.item != item) continue;
    const std::uint64_t end = segment.first + segment.frames;
    frames += end - std::clamp(position, segment.first, end);
  }
  return frames;
}

void Playback::advance(std::uint64_t position) {
  while (!m_segments.empty() && m_segments.front().finished &&
         position >= m_segments.front().first + m_segments.front().frames) {
    m_segments.pop_front();
  }
}

}  // namespace svc::voice
