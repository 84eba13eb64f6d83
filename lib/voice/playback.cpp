#include "voice/playback.h"

#include <algorithm>

namespace svc::voice {

void Playback::write(const std::string& item, int content, std::uint64_t first,
                     std::uint64_t frames) {
  if (!m_stretches.empty()) {
    Stretch& last = m_stretches.back();
    if (last.item == item && last.content == content && last.first + last.frames == first) {
      last.frames += frames;
      return;
    }
    // A new item starts, so all parts of the previous one have arrived.
    if (last.item != item) last.finished = true;
  }
  m_stretches.push_back({.item = item, .content = content, .first = first, .frames = frames});
}

void Playback::finish(const std::string& item) {
  for (Stretch& stretch : m_stretches) {
    if (stretch.item == item) stretch.finished = true;
  }
}

std::vector<Truncation> Playback::interrupt(std::uint64_t position) {
  std::vector<Truncation> cut;
  for (const Stretch& stretch : m_stretches) {
    const std::uint64_t heard =
        position <= stretch.first ? 0 : std::min(position - stretch.first, stretch.frames);
    if (heard == stretch.frames && stretch.finished) continue;
    const auto ms = static_cast<std::int64_t>(heard * 1000 / static_cast<std::uint64_t>(m_rate));
    // Stretches of the same item are consecutive, so their times add up.
    if (!cut.empty() && cut.back().item == stretch.item && cut.back().content == stretch.content) {
      cut.back().heard_ms += ms;
    } else {
      cut.push_back({.item = stretch.item, .content = stretch.content, .heard_ms = ms});
    }
  }
  m_stretches.clear();
  return cut;
}

std::string Playback::at(std::uint64_t position) const {
  for (const Stretch& stretch : m_stretches) {
    if (position >= stretch.first && position < stretch.first + stretch.frames) return stretch.item;
  }
  return {};
}

void Playback::advance(std::uint64_t position) {
  while (!m_stretches.empty() && m_stretches.front().finished &&
         position >= m_stretches.front().first + m_stretches.front().frames) {
    m_stretches.pop_front();
  }
}

}  // namespace svc::voice
