#include "audio/sink.h"

#include <algorithm>
#include <cerrno>
#include <mutex>
#include <vector>

#include <unistd.h>

#include "audio/wav.h"
#include "base/wait.h"

namespace svc::audio {
namespace {

constexpr Milliseconds k_check_interval{20};  // how often to check a sink for room or completion

// A sink that is not a device: writes to a file, a descriptor or nowhere, either at once or at
// playback speed.

class StreamSink : public Sink {
 public:
  StreamSink(const SinkOptions& options, Timing timing)
      : m_options(options),
        m_timing(timing),
        m_channels(static_cast<std::size_t>(options.format.channels)),
        m_prebuffer(static_cast<std::size_t>(frames_in(options.format, options.prebuffer)) *
                    m_channels),
        m_max_samples(std::max(
            m_prebuffer,
            static_cast<std::size_t>(frames_in(options.format, options.ring)) * m_channels)) {}

  [[nodiscard]] Format format() const override { return m_options.format; }
  [[nodiscard]] Result<std::size_t> write(std::span<const Sample> samples) override {
    const std::lock_guard lock(m_mutex);
    advance();
    if (!m_status) return m_status.error();
    m_finishing = false;
    std::size_t count = std::min(samples.size(), m_max_samples - waiting());
    count -= count % m_channels;
    m_queue.insert(m_queue.end(), samples.begin(),
                   samples.begin() + static_cast<std::ptrdiff_t>(count));
    m_written += count / m_channels;
    advance();
    if (!m_status) return m_status.error();
    return count;
  }

  void finish() override {
    const std::lock_guard lock(m_mutex);
    m_finishing = true;
    advance();
  }

  std::uint64_t abort() override {
    const std::lock_guard lock(m_mutex);
    advance();
    m_queue.clear();
    m_head = 0;
    m_written = m_played;
    m_running = m_finishing = false;
    m_level = {};
    return m_played;
  }

  void pause() override {
    const std::lock_guard lock(m_mutex);
    advance();
    m_paused = true;
    m_running = false;
  }

  void resume() override {
    const std::lock_guard lock(m_mutex);
    m_paused = false;
    advance();
  }

  [[nodiscard]] bool paused() const override {
    const std::lock_guard lock(m_mutex);
    return m_paused;
  }

  [[nodiscard]] std::uint64_t written() const override {
    const std::lock_guard lock(m_mutex);
    return m_written;
  }

  [[nodiscard]] std::uint64_t position() const override {
    const std::lock_guard lock(m_mutex);
    // Playback advances even if nobody checks.
    const_cast<StreamSink*>(this)->advance();
    return m_played;
  }

  [[nodiscard]] Level level() const override {
    const std::lock_guard lock(m_mutex);
    return m_running || m_timing == Timing::Immediate ? m_level : Level{};
  }

  [[nodiscard]] Result<void> check() override {
    const std::lock_guard lock(m_mutex);
    advance();
    return m_status;
  }

  [[nodiscard]] Result<void> close() override {
    const std::lock_guard lock(m_mutex);
    advance();
    if (!m_status) return m_status;
    return end();
  }

 protected:
  /// Writes the audio just played.
  [[nodiscard]] virtual Result<void> put(std::span<const Sample> samples) = 0;
  [[nodiscard]] virtual Result<void> end() { return {}; }

 private:
  /// Advances to what a device would have played by now. Requires the mutex.
  void advance() {
    if (m_timing == Timing::Immediate) {
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
    const auto frames = static_cast<std::size_t>(due - std::min(due, m_played));
    if (frames * m_channels > waiting()) m_running = false;  // an underrun
    play(std::min(frames * m_channels, waiting()));
  }

  void play(std::size_t samples) {
    if (samples == 0 || !m_status) return;
    const std::span<const Sample> next(m_queue.data() + m_head, samples);
    m_status = put(next);
    m_level = level_of(next);
    m_played += samples / m_channels;
    m_head += samples;
    if (m_head < 1U << 16U && m_head < m_queue.size()) return;
    m_queue.erase(m_queue.begin(), m_queue.begin() + static_cast<std::ptrdiff_t>(m_head));
    m_head = 0;
  }

  [[nodiscard]] std::size_t waiting() const { return m_queue.size() - m_head; }

  SinkOptions m_options;
  Timing m_timing;
  std::size_t m_channels;
  std::size_t m_prebuffer;    ///< in samples
  std::size_t m_max_samples;  ///< in samples
  mutable std::mutex m_mutex{};
  std::vector<Sample> m_queue{};  ///< guarded, as is everything below; starts at m_head
  std::size_t m_head = 0;
  std::uint64_t m_written = 0;  ///< in frames
  std::uint64_t m_played = 0;   ///< in frames
  bool m_paused = false;
  bool m_finishing = false;
  bool m_running = false;           ///< audio is playing
  Clock::time_point m_since{};      ///< since this time
  std::uint64_t m_since_frame = 0;  ///< and from this frame on
  Level m_level{};
  Result<void> m_status{};
};

class WavSink final : public StreamSink {
 public:
  WavSink(WavWriter writer, const SinkOptions& options, Timing timing)
      : StreamSink(options, timing), m_writer(std::move(writer)) {}

 private:
  Result<void> put(std::span<const Sample> samples) override { return m_writer.write(samples); }
  Result<void> end() override { return m_writer.close(); }

  WavWriter m_writer;
};

class RawSink final : public StreamSink {
 public:
  RawSink(int fd, Encoding encoding, const SinkOptions& options, Timing timing)
      : StreamSink(options, timing), m_fd(fd), m_encoding(encoding) {}

 private:
  Result<void> put(std::span<const Sample> samples) override {
    const std::string bytes = encode(samples, m_encoding);
    std::string_view left = bytes;
    while (!left.empty()) {
      const ssize_t done = ::write(m_fd, left.data(), left.size());
      if (done >= 0) {
        left.remove_prefix(static_cast<std::size_t>(done));
      } else if (errno == EAGAIN) {
        SVC_CHECK(wait_writable(m_fd, {}, NeverCanceled()));
      } else if (errno == EPIPE) {
        return Error{Fault::ReaderGone, "the audio reader closed the pipe"};
      } else if (errno != EINTR) {
        return system_error("cannot write the audio", errno);
      }
    }
    return {};
  }

  int m_fd;
  Encoding m_encoding;
};

class NullSink final : public StreamSink {
 public:
  using StreamSink::StreamSink;

 private:
  Result<void> put(std::span<const Sample>) override { return {}; }
};

}  // namespace

Result<void> write_all(Sink& sink, std::span<const Sample> samples, const CancelToken& cancel) {
  while (true) {
    if (const auto fault = cancel.requested()) return canceled(*fault);
    SVC_TRY(taken, sink.write(samples));
    samples = samples.subspan(taken);
    if (samples.empty()) return {};
    SVC_CHECK(wait_readable(-1, Clock::now() + k_check_interval, cancel));
  }
}

Result<void> drain(Sink& sink, const CancelToken& cancel) {
  sink.finish();
  while (true) {
    SVC_CHECK(sink.check());
    if (sink.idle()) return {};
    SVC_CHECK(wait_readable(-1, Clock::now() + k_check_interval, cancel));
  }
}

Result<std::unique_ptr<Sink>> open_wav_sink(const std::string& path, Replace replace,
                                            const SinkOptions& options, Timing timing) {
  SVC_TRY(writer, WavWriter::create(path, options.format, replace));
  return std::unique_ptr<Sink>(std::make_unique<WavSink>(std::move(writer), options, timing));
}

Result<std::unique_ptr<Sink>> open_raw_sink(int fd, Encoding encoding, const SinkOptions& options,
                                            Timing timing) {
  return std::unique_ptr<Sink>(std::make_unique<RawSink>(fd, encoding, options, timing));
}

std::unique_ptr<Sink> open_null_sink(const SinkOptions& options, Timing timing) {
  return std::make_unique<NullSink>(options, timing);
}

}  // namespace svc::audio
