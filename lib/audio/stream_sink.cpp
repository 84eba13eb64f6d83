#include "audio/stream_sink.h"

#include <algorithm>

namespace svc::audio {

StreamSink::StreamSink(const SinkOptions& options, Pace pace)
    : m_options(options),
      m_pace(pace),
      m_channels(static_cast<std::size_t>(options.format.channels)),
      m_prebuffer(static_cast<std::size_t>(frames_in(options.format, options.prebuffer)) *
                  m_channels),
      m_most(std::max(
          m_prebuffer,
          static_cast<std::size_t>(frames_in(options.format, options.ring)) * m_channels)) {}

Result<std::size_t> StreamSink::write(std::span<const Sample> samples) {
  const std::lock_guard hold(m_mutex);
  advance();
  if (!m_fault) return m_fault.error();
  m_finishing = false;
  std::size_t count = std::min(samples.size(), m_most - waiting());
  count -= count % m_channels;
  m_queue.insert(m_queue.end(), samples.begin(),
                 samples.begin() + static_cast<std::ptrdiff_t>(count));
  m_written += count / m_channels;
  advance();
  if (!m_fault) return m_fault.error();
  return count;
}

void StreamSink::advance() {
  if (m_pace == Pace::Fast) {
    if (!m_paused) play(waiting());
    return;
  }
  const auto now = Clock::now();
  if (!m_running) {
    const bool enough = waiting() >= m_prebuffer || (m_finishing && waiting() > 0);
    if (m_paused || !enough) return;
    m_running = true;
    m_since = now;
    m_since_frame = m_played;
  }
  const auto passed = std::chrono::duration_cast<std::chrono::microseconds>(now - m_since);
  const std::uint64_t due = m_since_frame + frames_in(m_options.format, passed);
  const auto frames = static_cast<std::size_t>(due > m_played ? due - m_played : 0);
  if (frames * m_channels > waiting()) m_running = false;  // an interruption
  play(std::min(frames * m_channels, waiting()));
}

void StreamSink::play(std::size_t samples) {
  if (samples == 0 || !m_fault) return;
  const std::span<const Sample> next(m_queue.data() + m_head, samples);
  m_fault = put(next);
  m_level = level_of(next);
  m_played += samples / m_channels;
  m_head += samples;
  if (m_head < 1U << 16U && m_head < m_queue.size()) return;
  m_queue.erase(m_queue.begin(), m_queue.begin() + static_cast<std::ptrdiff_t>(m_head));
  m_head = 0;
}

void StreamSink::finish() {
  const std::lock_guard hold(m_mutex);
  m_finishing = true;
  advance();
}

std::uint64_t StreamSink::abort() {
  const std::lock_guard hold(m_mutex);
  advance();
  m_queue.clear();
  m_head = 0;
  m_written = m_played;
  m_running = m_finishing = false;
  m_level = {};
  return m_played;
}

void StreamSink::pause() {
  const std::lock_guard hold(m_mutex);
  advance();
  m_paused = true;
  m_running = false;
}

void StreamSink::resume() {
  const std::lock_guard hold(m_mutex);
  m_paused = false;
  advance();
}

bool StreamSink::paused() const {
  const std::lock_guard hold(m_mutex);
  return m_paused;
}

std::uint64_t StreamSink::written() const {
  const std::lock_guard hold(m_mutex);
  return m_written;
}

std::uint64_t StreamSink::position() const {
  const std::lock_guard hold(m_mutex);
  // Time passes whether or not anybody asks.
  const_cast<StreamSink*>(this)->advance();
  return m_played;
}

Level StreamSink::level() const {
  const std::lock_guard hold(m_mutex);
  return m_running || m_pace == Pace::Fast ? m_level : Level{};
}

Result<void> StreamSink::check() {
  const std::lock_guard hold(m_mutex);
  advance();
  return m_fault;
}

Result<void> StreamSink::close() {
  const std::lock_guard hold(m_mutex);
  advance();
  if (!m_fault) return m_fault;
  return end();
}

}  // namespace svc::audio
