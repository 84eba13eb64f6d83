#include "support/pty.h"

#include <array>
#include <cerrno>
#include <cstdlib>
#include <utility>

#include <fcntl.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

namespace svc::test {

Result<Pty> Pty::open(int columns, int rows) {
  Pty pty(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC), -1);
  if (pty.m_master < 0) return system_error("cannot open a terminal", errno);
  std::array<char, 64> name{};
  if (::grantpt(pty.m_master) != 0 || ::unlockpt(pty.m_master) != 0 ||
      ::ptsname_r(pty.m_master, name.data(), name.size()) != 0) {
    return system_error("cannot unlock a terminal", errno);
  }
  pty.m_slave = ::open(name.data(), O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (pty.m_slave < 0) return system_error("cannot open a terminal", errno);
  termios modes{};
  ::tcgetattr(pty.m_slave, &modes);
  modes.c_oflag &= ~static_cast<tcflag_t>(OPOST);
  ::tcsetattr(pty.m_slave, TCSANOW, &modes);
  winsize size{};
  size.ws_col = static_cast<unsigned short>(columns);
  size.ws_row = static_cast<unsigned short>(rows);
  ::ioctl(pty.m_slave, TIOCSWINSZ, &size);
  return pty;
}

std::string Pty::modes() const {
  termios modes{};
  if (::tcgetattr(m_slave, &modes) != 0) return "unknown";
  std::string words;
  const auto add = [&words](bool set, const char* word) {
    if (!set) return;
    if (!words.empty()) words.push_back(' ');
    words.append(word);
  };
  add((modes.c_lflag & ECHO) != 0, "echo");
  add((modes.c_lflag & ICANON) != 0, "canonical");
  add((modes.c_lflag & ISIG) != 0, "signals");
  add((modes.c_lflag & IEXTEN) != 0, "extended");
  add((modes.c_iflag & ICRNL) != 0, "cr-to-newline");
  return words;
}

Pty::Pty(Pty&& other) noexcept
    : m_master(std::exchange(other.m_master, -1)), m_slave(std::exchange(other.m_slave, -1)) {}

Pty& Pty::operator=(Pty&& other) noexcept {
  if (this != &other) {
    close_both();
    m_master = std::exchange(other.m_master, -1);
    m_slave = std::exchange(other.m_slave, -1);
  }
  return *this;
}

Pty::~Pty() {
  close_both();
}

void Pty::close_both() noexcept {
  if (m_master >= 0) ::close(m_master);
  if (m_slave >= 0) ::close(m_slave);
}

}  // namespace svc::test
