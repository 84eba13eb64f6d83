// WAV files, descriptors and nothing as sinks.
#include <cerrno>

#include <unistd.h>

#include "audio/stream_sink.h"
#include "audio/wav.h"
#include "base/wait.h"

namespace svc::audio {
namespace {

class WavSink final : public StreamSink {
 public:
  WavSink(WavWriter writer, const SinkOptions& options, Pace pace)
      : StreamSink(options, pace), m_writer(std::move(writer)) {}

 private:
  Result<void> put(std::span<const Sample> samples) override { return m_writer.write(samples); }
  Result<void> end() override { return m_writer.close(); }

  WavWriter m_writer;
};

class RawSink final : public StreamSink {
 public:
  RawSink(int fd, Encoding encoding, const SinkOptions& options, Pace pace)
      : StreamSink(options, pace), m_fd(fd), m_encoding(encoding) {}

 private:
  Result<void> put(std::span<const Sample> samples) override {
    const std::string bytes = encode(samples, m_encoding);
    std::string_view left = bytes;
    while (!left.empty()) {
      const ssize_t done = ::write(m_fd, left.data(), left.size());
      if (done >= 0) {
        left.remove_prefix(static_cast<std::size_t>(done));
      } else if (errno == EAGAIN) {
        SVC_CHECK(wait_writable(m_fd, {}, NeverCancelled()));
      } else if (errno == EPIPE) {
        return Error{Fault::ReaderGone, "the reader of the sound went away"};
      } else if (errno != EINTR) {
        return system_error("cannot write the sound", errno);
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

Result<std::unique_ptr<Sink>> open_wav_sink(const std::string& path, Replace replace,
                                            const SinkOptions& options, Pace pace) {
  SVC_TRY(writer, WavWriter::create(path, options.format, replace));
  return std::unique_ptr<Sink>(std::make_unique<WavSink>(std::move(writer), options, pace));
}

Result<std::unique_ptr<Sink>> open_raw_sink(int fd, Encoding encoding, const SinkOptions& options,
                                            Pace pace) {
  return std::unique_ptr<Sink>(std::make_unique<RawSink>(fd, encoding, options, pace));
}

std::unique_ptr<Sink> open_null_sink(const SinkOptions& options, Pace pace) {
  return std::make_unique<NullSink>(options, pace);
}

}  // namespace svc::audio
