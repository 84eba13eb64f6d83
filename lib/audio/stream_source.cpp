#include "audio/stream_source.h"

#include <algorithm>

namespace svc::audio {

StreamSource::StreamSource(const SourceOptions& options, Pace pace, PaceTimer timer)
    : m_format(options.format),
      m_pace(pace),
      m_timer(std::move(timer)),
      m_block(static_cast<std::size_t>(frames_in(options.format, options.block)) *
              static_cast<std::size_t>(options.format.channels)) {}

Result<void> StreamSource::start() {
  m_start = Clock::now();
  m_started = true;
  m_timer.fire();
  return {};
}

int StreamSource::wait_fd() const {
  if (!m_started) return -1;
  return m_waiting ? feed_fd() : m_timer.fd();
}

Clock::time_point StreamSource::due(std::uint64_t frame) const {
  return m_start + std::chrono::nanoseconds(frame * 1'000'000'000 /
                                            static_cast<std::uint64_t>(m_format.rate));
}

Result<std::optional<Block>> StreamSource::take() {
  if (!m_started || ended()) return std::optional<Block>{};
  m_waiting = false;
  const auto channels = static_cast<std::size_t>(m_format.channels);
  while (!m_over && m_samples.size() < m_block) {
    SVC_TRY(more, feed(m_block - m_samples.size(), m_samples));
    m_over = !more;
    if (feed_fd() >= 0) break;  // it is waited for; a file only tells its end when asked again
  }
  if (!m_over && m_samples.size() < m_block) {
    m_waiting = true;
    return std::optional<Block>{};
  }
  // A file may end within a frame.
  if (m_over) m_samples.resize(m_samples.size() - m_samples.size() % channels);
  const std::size_t count = std::min(m_block, m_samples.size());
  if (count == 0) return std::optional<Block>{};
  const Clock::time_point when = due(m_given + count / channels);
  if (m_pace == Pace::Real && Clock::now() < when) {
    m_timer.arm(when);
    return std::optional<Block>{};
  }
  m_timer.fire();
  return std::optional<Block>(cut(count));
}

Block StreamSource::cut(std::size_t samples) {
  Block block;
  block.first = m_given;
  const auto end = m_samples.begin() + static_cast<std::ptrdiff_t>(samples);
  block.samples.assign(m_samples.begin(), end);
  m_samples.erase(m_samples.begin(), end);
  m_given += samples / static_cast<std::size_t>(m_format.channels);
  block.ended = m_pace == Pace::Real ? due(m_given) : Clock::now();
  const Level level = level_of(block.samples);
  m_peak = level.peak;
  m_rms = level.rms;
  if (m_muted) std::ranges::fill(block.samples, Sample{0});
  return block;
}

void StreamSource::stop() {
  if (m_over) return;
  m_over = true;
  m_waiting = false;
  // What would not have been spoken yet is not heard either.
  if (m_pace == Pace::Real && m_started) {
    const auto passed =
        std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - m_start);
    const std::uint64_t spoken = frames_in(m_format, passed);
    const std::uint64_t left = spoken > m_given ? spoken - m_given : 0;
    const auto most = static_cast<std::size_t>(left) * static_cast<std::size_t>(m_format.channels);
    if (m_samples.size() > most) m_samples.resize(most);
  } else {
    m_samples.clear();
  }
  m_timer.fire();
}

Level StreamSource::level() const {
  return {m_peak, m_rms};
}

}  // namespace svc::audio
