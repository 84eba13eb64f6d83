#include "terminal/stdin_buffer.h"

#include <cerrno>

#include <fmt/format.h>
#include <termios.h>
#include <unistd.h>

#include "base/file_descriptor.h"
#include "base/text.h"
#include "base/wait.h"
#include "base/write_target.h"
#include "client/api_client.h"
#include "client/settings.h"

namespace svc::cli {
namespace {

// Usually the input is empty or a few lines: do not allocate more.
constexpr std::size_t k_first_read = 4'096;
constexpr std::size_t k_max_read_length = 262'144;
constexpr std::chrono::milliseconds k_quiet_look{250};

/// Returns the next bytes; an empty view at the end.
Result<sv> next(int fd, std::string& buffer, const CancelToken& cancel,
                const std::function<Result<void>()>& on_quiet) {
  while (true) {
    SVC_TRY(ready, wait_readable(fd, after(k_quiet_look), cancel));
    if (!ready) {
      SVC_CHECK(on_quiet());
      continue;
    }
    const ssize_t count = ::read(fd, buffer.data(), buffer.size());
    if (count < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (count < 0 && errno == EBADF) return sv();  // a closed descriptor means no input
    if (count < 0) return system_error("cannot read standard input", errno);
    return sv(buffer).substr(0, static_cast<std::size_t>(count));
  }
}

Error never_ended(std::chrono::milliseconds limit) {
  return Error{Fault::Timeout,
               fmt::format("standard input did not end within {}", format_duration(limit)),
               "--no-stdin ignores it; --timeout sets how long svc waits."};
}

/// Turns echo off while the object exists.
class MuteTerminal {
 public:
  explicit MuteTerminal(int fd) : m_fd(fd), m_muted(::tcgetattr(fd, &m_before) == 0) {
    if (!m_muted) return;
    termios quiet = m_before;
    quiet.c_lflag &= ~static_cast<tcflag_t>(ECHO | ECHONL);
    quiet.c_lflag |= static_cast<tcflag_t>(ICANON | ISIG);
    quiet.c_iflag |= static_cast<tcflag_t>(ICRNL);  // Enter always ends the line
    quiet.c_cc[VSUSP] = _POSIX_VDISABLE;
    quiet.c_cc[VQUIT] = _POSIX_VDISABLE;
    // Discard earlier input: it was echoed and may be anything.
    m_muted = ::tcsetattr(fd, TCSAFLUSH, &quiet) == 0;
  }
  MuteTerminal(const MuteTerminal&) = delete;
  MuteTerminal& operator=(const MuteTerminal&) = delete;
  ~MuteTerminal() {
    if (m_muted) ::tcsetattr(m_fd, TCSAFLUSH, &m_before);
  }

  [[nodiscard]] bool muted() const noexcept { return m_muted; }

 private:
  int m_fd;
  termios m_before{};
  bool m_muted;
};

}  // namespace

Result<void> read_to_end(int fd, const CancelToken& cancel, const InputWait& wait,
                         const std::function<Result<void>(sv)>& sink) {
  std::string buffer(k_first_read, '\0');
  const auto begin = std::chrono::steady_clock::now();
  bool reported = false;
  const auto on_quiet = [&]() -> Result<void> {
    const auto waited = std::chrono::steady_clock::now() - begin;
    if (waited >= std::chrono::seconds(2) && !std::exchange(reported, true)) wait.on_silence();
    return wait.limit && waited >= *wait.limit ? Result<void>(never_ended(*wait.limit))
                                               : Result<void>();
  };
  while (true) {
    SVC_TRY(bytes, next(fd, buffer, cancel, on_quiet));
    if (bytes.empty()) return {};
    reported = true;  // input has arrived: do not report silence
    const bool full = bytes.size() == buffer.size();
    SVC_CHECK(sink(bytes));
    SVC_CHECK(on_quiet());  // input that never ends must not outlast the limit either
    if (full && buffer.size() < k_max_read_length) buffer.assign(buffer.size() * 4, '\0');
  }
}

Result<StdinBuffer> StdinBuffer::read(int fd, std::uint64_t max_bytes, const CancelToken& cancel,
                                      const InputWait& wait) {
  std::string path = Environment::of_process()("TMPDIR").value_or("/tmp") + "/svc-stdin-XXXXXX";
  const FileDescriptor file(::mkstemp(path.data()));
  if (!file.is_open()) return write_error(path, errno);
  StdinBuffer spool(FileSource{path, 0});
  SVC_CHECK(read_to_end(fd, cancel, wait, [&](sv bytes) -> Result<void> {
    spool.m_source.size += bytes.size();
    if (spool.m_source.size > max_bytes) {
      return usage_error(fmt::format("standard input is larger than {}", format_bytes(max_bytes)));
    }
    Result<void> written = write_all(file.get(), bytes, path);
    if (!written) {
      written.error().hint = "Input is buffered there; set TMPDIR to a directory with more space.";
    }
    return written;
  }));
  return spool;
}

StdinBuffer::StdinBuffer(StdinBuffer&& other) noexcept : m_source(std::move(other.m_source)) {
  other.m_source.path.clear();
}

StdinBuffer::~StdinBuffer() {
  if (!m_source.path.empty()) ::unlink(m_source.path.c_str());
}

Result<InputLine> read_line(int fd, const CancelToken& cancel, std::size_t most) {
  InputLine line;
  while (line.text.size() <= most) {
    SVC_CHECK(wait_readable(fd, {}, cancel));
    char c = 0;
    const ssize_t count = ::read(fd, &c, 1);
    if (count < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (count < 0 && errno != EBADF && errno != EIO) {  // EIO: the terminal is gone
      return system_error("cannot read the input", errno);
    }
    if (count > 0 && c == '\n') return line;
    if (count <= 0) {
      line.end = LineEnd::Input;
      return line;
    }
    line.text += c;
  }
  line.end = LineEnd::TooLong;
  return line;
}

Result<std::string> read_secret(int fd, const std::function<Result<void>()>& prompt,
                                const CancelToken& cancel) {
  const MuteTerminal mute(fd);
  if (!mute.muted()) return system_error("cannot turn off terminal echo", errno);
  SVC_CHECK(prompt());
  SVC_TRY(line, read_line(fd, cancel));
  if (line.end == LineEnd::Newline) return std::move(line.text);
  return usage_error(line.end == LineEnd::Input ? "no key was given: end of input"
                                                : "the input is too long for a key");
}

}  // namespace svc::cli
