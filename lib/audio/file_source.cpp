// Sound files and raw bytes as sources.
#include <array>
#include <cerrno>

#include <unistd.h>

#include "audio/sound_file.h"
#include "audio/stream_source.h"
#include "base/wait.h"

namespace svc::audio {
namespace {

class SoundFileSource final : public StreamSource {
 public:
  SoundFileSource(std::unique_ptr<SoundReader> reader, const SourceOptions& options, Pace pace,
                  PaceTimer timer)
      : StreamSource(options, pace, std::move(timer)), m_reader(std::move(reader)) {}

 private:
  Result<bool> feed(std::size_t samples, std::vector<Sample>& into) override {
    const auto channels = static_cast<std::size_t>(format().channels);
    return m_reader->read((samples + channels - 1) / channels, into);
  }
  // A file gives all that is asked for, or its end.
  [[nodiscard]] int feed_fd() const override { return -1; }

  std::unique_ptr<SoundReader> m_reader;
};

class RawSource final : public StreamSource {
 public:
  RawSource(int fd, Encoding encoding, const SourceOptions& options, Pace pace, PaceTimer timer)
      : StreamSource(options, pace, std::move(timer)),
        m_fd(fd),
        m_encoding(encoding),
        m_decoder(encoding) {}

 private:
  Result<bool> feed(std::size_t samples, std::vector<Sample>& into) override {
    std::array<char, 16'384> bytes{};
    const std::size_t wanted = std::min(bytes.size(), samples * bytes_per_sample(m_encoding));
    const std::size_t before = into.size();
    while (into.size() - before < samples) {
      // The descriptor is somebody else's, and blocks.
      SVC_TRY(ready, wait_readable(m_fd, Clock::now(), NeverCancelled()));
      if (!ready) return true;
      const ssize_t got = ::read(m_fd, bytes.data(), wanted);
      if (got == 0) return false;
      if (got < 0 && (errno == EINTR || errno == EAGAIN)) return true;
      if (got < 0) return system_error("cannot read the sound from standard input", errno);
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

Result<std::unique_ptr<Source>> open_sound_file(const std::string& path,
                                                const SourceOptions& options, Pace pace) {
  SVC_TRY(reader, open_sound_reader(path, options.format));
  SVC_TRY(timer, PaceTimer::create());
  SourceOptions own = options;
  own.format = reader->format();
  return std::unique_ptr<Source>(
      std::make_unique<SoundFileSource>(std::move(reader), own, pace, std::move(timer)));
}

Result<std::unique_ptr<Source>> open_raw_source(int fd, Encoding encoding,
                                                const SourceOptions& options, Pace pace) {
  SVC_TRY(timer, PaceTimer::create());
  return std::unique_ptr<Source>(
      std::make_unique<RawSource>(fd, encoding, options, pace, std::move(timer)));
}

}  // namespace svc::audio
