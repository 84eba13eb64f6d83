#include "terminal/secret_input.h"

#include <cerrno>

#include <termios.h>
#include <unistd.h>

#include "terminal/read_line.h"

namespace svc::cli {
namespace {

constexpr std::size_t k_max_line = 64U << 10U;

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

Result<std::string> read_secret(int fd, const std::function<Result<void>()>& prompt,
                                const CancelToken& cancel) {
  const MuteTerminal mute(fd);
  if (!mute.muted()) return system_error("the terminal's echo cannot be turned off", errno);
  SVC_CHECK(prompt());
  SVC_TRY(line, read_line(fd, cancel, k_max_line));
  if (line.end == LineEnd::Newline) return std::move(line.text);
  return usage_error(line.end == LineEnd::Input ? "no key was given: the input ended"
                                                : "what was typed is too long for a key");
}

}  // namespace svc::cli
