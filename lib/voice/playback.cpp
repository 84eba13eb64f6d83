#include "voice/playback.h"

#include <algorithm>

#include "base/text.h"

namespace svc::voice {
namespace {

/// A fast talker: 24 letters, or 8 characters of three bytes.
constexpr std::int64_t k_bytes_per_second = 24;

/// Whether text may be cut here. Scripts without spaces are cut between any two characters.
bool is_between_words(std::string_view text, std::size_t at) {
  constexpr char32_t k_first_without_spaces = 0x2e80;
  if ((static_cast<unsigned char>(text[at]) & 0xc0U) == 0x80U) return false;
  return text[at] == ' ' || text[at] == '\n' || decode_utf8(text, at) >= k_first_without_spaces;
}

}  // namespace

std::string_view spoken_part(std::string_view text, bool whole_text, const Heard& heard) {
  if (heard.complete && heard.heard_ms >= heard.received_ms) return text;
  const auto size = static_cast<std::int64_t>(text.size());
  const std::int64_t received = std::max<std::int64_t>(heard.received_ms, 1);
  std::int64_t spoken = size * heard.heard_ms / received;
  if (!whole_text || !heard.complete)
    spoken = std::min(spoken, heard.heard_ms * k_bytes_per_second / 1000);
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
    if (last.item != item) last.finished = true;
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
