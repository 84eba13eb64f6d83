#include "terminal/key_input.h"

#include <array>
#include <string_view>

#include <fcntl.h>
#include <unistd.h>

#include "base/wait.h"
#include "terminal/signals.h"

namespace svc::cli {

KeyInput::KeyInput(bool wanted) {
  if (!wanted) return;
  const bool standard = ::isatty(STDIN_FILENO) == 1;
  const int fd = standard ? STDIN_FILENO : ::open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY);
  if (!standard) m_opened = FileDescriptor(fd);
  // A job in the background would be stopped for touching the terminal.
  if (fd < 0 || ::tcgetpgrp(fd) != ::getpgrp() || ::tcgetattr(fd, &m_before) != 0) return;
  termios single = m_before;
  single.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
  single.c_lflag |= static_cast<tcflag_t>(ISIG);
  single.c_cc[VQUIT] = _POSIX_VDISABLE;  // it would leave the terminal like this
  single.c_cc[VMIN] = 1;
  single.c_cc[VTIME] = 0;
  restore_at_exit(fd, &m_before);
  if (::tcsetattr(fd, TCSADRAIN, &single) == 0) m_fd = fd;
}

KeyInput::~KeyInput() {
  // Put in the background meanwhile, the terminal is somebody else's.
  if (m_fd >= 0 && ::tcgetpgrp(m_fd) == ::getpgrp()) ::tcsetattr(m_fd, TCSADRAIN, &m_before);
  restore_at_exit(-1, nullptr);
}

std::string KeyInput::read() {
  std::string typed;
  while (m_fd >= 0) {
    const auto ready = wait_readable(m_fd, after(std::chrono::milliseconds(0)), NeverCancelled());
    if (!ready || !*ready) break;
    std::array<char, 64> buffer;
    const ssize_t count = ::read(m_fd, buffer.data(), buffer.size());
    if (count <= 0) {
      m_fd = count == 0 ? -1 : m_fd;
      break;
    }
    for (const char c : std::string_view(buffer.data(), static_cast<std::size_t>(count))) {
      const bool ends = (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '~';
      if (c == '\x1b') {
        m_escape = true;
      } else if (m_escape) {
        // `ESC [` and `ESC O` begin a sequence that ends with a letter or a tilde.
        m_escape = c == 'O' || !ends;
      } else {
        typed += c;
      }
    }
  }
  return typed;
}

}  // namespace svc::cli
