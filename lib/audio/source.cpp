#include "audio/source.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>

#include <poll.h>
#include <unistd.h>

#include "audio/device_feed.h"
#include "audio/sound_file.h"
#include "base/wait.h"
#include "base/wake.h"

namespace svc::audio {
namespace {

// A source that is not a device: splits audio from feed() into blocks, in real time or at once.

class StreamSource : public Source {
 public:
  StreamSource(const SourceOptions& options, Timing timing, Timer timer)
      : m_format(options.format),
        m_timing(timing),
        m_timer(std::move(timer)),
        m_block(static_cast<std::size_t>(frames_in(options.format, options.block)) *
                static_cast<std::size_t>(options.format.channels)) {}

  [[nodiscard]] Format format() const override { return m_format; }
  [[nodiscard]] Result<void> start() override {
    m_start = Clock::now();
    m_started = true;
    m_timer.fire();
    return {};
  }

  [[nodiscard]] int wait_fd() const override {
    if (!m_started) return -1;
    return m_waiting ? feed_fd() : m_timer.descriptor();
  }

  [[nodiscard]] Result<std::optional<Block>> take() override {
    if (!m_started || ended()) return std::optional<Block>{};
    m_waiting = false;
    const auto channels = static_cast<std::size_t>(m_format.channels);
    while (!m_over && m_samples.size() < m_block) {
      SVC_TRY(more, feed(m_block - m_samples.size(), m_samples));
      m_over = !more;
      if (feed_fd() >= 0)
        break;  // a descriptor is polled; a file reports its end only on the next read
    }
    if (!m_over && m_samples.size() < m_block) {
      m_waiting = true;
      return std::optional<Block>{};
    }
    // A file may end in the middle of a frame.
    if (m_over) m_samples.resize(m_samples.size() - m_samples.size() % channels);
    const std::size_t count = std::min(m_block, m_samples.size());
    if (count == 0) return std::optional<Block>{};
    const Clock::time_point when = due(m_given + count / channels);
    if (m_timing == Timing::RealTime && Clock::now() < when) {
      m_timer.arm(when);
      return std::optional<Block>{};
    }
    m_timer.fire();
    return std::optional<Block>(cut(count));
  }

  void stop() override {
    if (m_over) return;
    m_over = true;
    m_waiting = false;
    // Audio that would not have been spoken yet is dropped.
    if (m_timing == Timing::RealTime && m_started) {
      const auto passed =
          std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - m_start);
      // Rounded down, for only what is due can be taken at once.
      const auto spoken = static_cast<std::uint64_t>(passed.count()) *
                          static_cast<std::uint64_t>(m_format.rate) / 1'000'000;
      const std::uint64_t left = std::max(spoken, m_given) - m_given;
      const auto most =
          static_cast<std::size_t>(left) * static_cast<std::size_t>(m_format.channels);
      if (m_samples.size() > most) m_samples.resize(most);
    } else {
      m_samples.clear();
    }
    m_timer.fire();
  }

  [[nodiscard]] bool ended() const override { return m_over && m_samples.empty(); }
  void set_muted(bool muted) override { m_muted = muted; }
  [[nodiscard]] bool muted() const override { return m_muted; }
  [[nodiscard]] Level level() const override { return m_level.get(); }

 protected:
  /// Appends the audio available without waiting, about `samples` samples; false at the end.
  [[nodiscard]] virtual Result<bool> feed(std::size_t samples, std::vector<Sample>& into) = 0;
  /// The descriptor to wait for when feed() returned too little; -1: none.
  [[nodiscard]] virtual int feed_fd() const = 0;

 private:
  [[nodiscard]] Clock::time_point due(std::uint64_t frame) const {
    return m_start + std::chrono::nanoseconds(frame * 1'000'000'000 /
                                              static_cast<std::uint64_t>(m_format.rate));
  }

  [[nodiscard]] Block cut(std::size_t samples) {
    Block block;
    block.first = m_given;
    const auto end = m_samples.begin() + static_cast<std::ptrdiff_t>(samples);
    block.samples.assign(m_samples.begin(), end);
    m_samples.erase(m_samples.begin(), end);
    m_given += samples / static_cast<std::size_t>(m_format.channels);
    block.ended = m_timing == Timing::RealTime ? due(m_given) : Clock::now();
    m_level.set(level_of(block.samples));
    if (m_muted) std::ranges::fill(block.samples, Sample{0});
    return block;
  }

  Format m_format;
  Timing m_timing;
  Timer m_timer;
  std::size_t m_block;              ///< in samples
  std::vector<Sample> m_samples{};  ///< fed but not yet returned
  std::uint64_t m_given = 0;        ///< in frames
  Clock::time_point m_start{};
  bool m_started = false;
  bool m_over = false;     ///< feed() has reached its end
  bool m_waiting = false;  ///< for the feed, not for the time
  std::atomic<bool> m_muted = false;
  SharedLevel m_level{};
};

class SoundFileSource final : public StreamSource {
 public:
  SoundFileSource(std::unique_ptr<SoundReader> reader, const SourceOptions& options, Timing timing,
                  Timer timer)
      : StreamSource(options, timing, std::move(timer)), m_reader(std::move(reader)) {}

 private:
  Result<bool> feed(std::size_t samples, std::vector<Sample>& into) override {
    const auto channels = static_cast<std::size_t>(format().channels);
    return m_reader->read((samples + channels - 1) / channels, into);
  }
  // A file returns everything requested, or its end.
  [[nodiscard]] int feed_fd() const override { return -1; }

  std::unique_ptr<SoundReader> m_reader;
};

class RawSource final : public StreamSource {
 public:
  RawSource(int fd, Encoding encoding, const SourceOptions& options, Timing timing, Timer timer)
      : StreamSource(options, timing, std::move(timer)),
        m_fd(fd),
        m_encoding(encoding),
        m_decoder(encoding) {}

 private:
  Result<bool> feed(std::size_t samples, std::vector<Sample>& into) override {
    std::array<char, 16'384> bytes{};
    const std::size_t wanted = std::min(bytes.size(), samples * bytes_per_sample(m_encoding));
    const std::size_t before = into.size();
    while (into.size() - before < samples) {
      // The descriptor belongs to the caller and blocks.
      SVC_TRY(ready, wait_readable(m_fd, Clock::now(), NeverCanceled()));
      if (!ready) return true;
      const ssize_t got = ::read(m_fd, bytes.data(), wanted);
      if (got == 0) return false;
      if (got < 0 && (errno == EINTR || errno == EAGAIN)) return true;
      if (got < 0) return system_error("cannot read audio from standard input", errno);
      m_decoder.decode(std::string_view(bytes.data(), static_cast<std::size_t>(got)), into);
    }
    return true;
  }
  [[nodiscard]] int feed_fd() const override { return m_fd; }

  int m_fd;
  Encoding m_encoding;
  Decoder m_decoder;
};

}  // namespace

Result<std::optional<Block>> read_block(Source& source, const CancelToken& cancel,
                                        std::optional<Clock::time_point> until) {
  while (!source.ended()) {
    SVC_TRY(block, source.take());
    if (block) return std::move(block);
    if (source.ended() || (until && Clock::now() >= *until)) break;
    SVC_CHECK(wait_readable(source.wait_fd(), until, cancel));
  }
  return std::optional<Block>{};
}

Result<std::unique_ptr<Source>> open_sound_file(const std::string& path,
                                                const SourceOptions& options, Timing timing) {
  SVC_TRY(reader, open_sound_reader(path, options.format));
  SVC_TRY(timer, Timer::create());
  SourceOptions own = options;
  own.format = reader->format();
  return std::unique_ptr<Source>(
      std::make_unique<SoundFileSource>(std::move(reader), own, timing, std::move(timer)));
}

Result<std::unique_ptr<Source>> open_raw_source(int fd, Encoding encoding,
                                                const SourceOptions& options, Timing timing) {
  SVC_TRY(timer, Timer::create());
  return std::unique_ptr<Source>(
      std::make_unique<RawSource>(fd, encoding, options, timing, std::move(timer)));
}

}  // namespace svc::audio
