#include "terminal/read_line.h"

#include <cerrno>

#include <termios.h>
#include <unistd.h>

#include "base/wait.h"

namespace svc::cli {
namespace {

/// Echo is off while this lives.
class MuteTerminal {
 public:
  explicit MuteTerminal(int fd) : m_fd(fd), m_muted(::tcgetattr(fd, &m_before) == 0) {
    if (!m_muted) return;
    termios quiet = m_before;
    quiet.c_lflag &= ~static_cast<tcflag_t>(ECHO | ECHONL);
    quiet.c_lflag |= static_cast<tcflag_t>(ICANON | ISIG);
    quiet.c_iflag |= static_cast<tcflag_t>(ICRNL);  // Enter ends the line in any case
    quiet.c_cc[VSUSP] = _POSIX_VDISABLE;
    quiet.c_cc[VQUIT] = _POSIX_VDISABLE;
    // What was typed before it was asked for was shown, and may be anything.
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

Result<InputLine> read_line(int fd, const CancelToken& cancel, std::size_t most) {
  InputLine line;
  while (line.text.size() <= most) {
    SVC_CHECK(wait_readable(fd, {}, cancel));
    char c = 0;
    const ssize_t count = ::read(fd, &c, 1);
    if (count < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (count < 0 && errno != EBADF && errno != EIO) {  // EIO: the terminal is gone
      return system_error("the input cannot be read", errno);
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
  if (!mute.muted()) return system_error("the terminal's echo cannot be turned off", errno);
  SVC_CHECK(prompt());
  SVC_TRY(line, read_line(fd, cancel));
  if (line.end == LineEnd::Newline) return std::move(line.text);
  return usage_error(line.end == LineEnd::Input ? "no key was given: the input ended"
                                                : "what was typed is too long for a key");
}

}  // namespace svc::cli
