#include "voice/playback.h"

#include <algorithm>

namespace svc::voice {

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

std::string Playback::at(std::uint64_t position) const {
  for (const Segment& segment : m_segments) {
    if (position >= segment.first && position < segment.first + segment.frames) return segment.item;
  }
  return {};
}

void Playback::advance(std::uint64_t position) {
  while (!m_segments.empty() && m_segments.front().finished &&
         position >= m_segments.front().first + m_segments.front().frames) {
    m_segments.pop_front();
  }
}

}  // namespace svc::voice
