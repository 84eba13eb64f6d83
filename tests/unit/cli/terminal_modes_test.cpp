// What svc does to the modes of a terminal, and that they are as before afterwards.
#include <array>
#include <csignal>
#include <string>
#include <string_view>

#include <doctest/doctest.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "support/pty.h"
#include "terminal/editor/raw_terminal.h"
#include "terminal/key_input.h"
#include "unit/base/child_process.h"

namespace svc::cli {
namespace {

constexpr tcflag_t k_line_modes = ICANON | ECHO | ISIG | IEXTEN;
constexpr tcflag_t k_input_modes = ICRNL | INLCR | IXON | ISTRIP;

termios modes_of(int terminal) {
  termios modes{};
  ::tcgetattr(terminal, &modes);
  return modes;
}

bool same_modes(const termios& one, const termios& other) {
  return one.c_lflag == other.c_lflag && one.c_iflag == other.c_iflag &&
         one.c_oflag == other.c_oflag && one.c_cc[VMIN] == other.c_cc[VMIN] &&
         one.c_cc[VTIME] == other.c_cc[VTIME] && one.c_cc[VQUIT] == other.c_cc[VQUIT] &&
         one.c_cc[VSUSP] == other.c_cc[VSUSP];
}

/// The first of the checks that is wrong, from 1.
class ModeChecks {
 public:
  void operator()(bool right) {
    ++m_count;
    if (!right && m_wrong == 0) m_wrong = m_count;
  }
  [[nodiscard]] int wrong() const { return m_wrong; }

 private:
  int m_count = 0;
  int m_wrong = 0;
};

/// Runs checks in a process whose terminal, also its standard input, has modes that nobody leaves
/// as they are. Returns the number of the first wrong one.
template <typename Action>
int wrong_on_terminal(Action action) {
  const auto pty = test::Pty::open(80, 24);
  REQUIRE(pty);
  return test::in_child([&] {
    ::setsid();
    ::ioctl(pty->slave(), TIOCSCTTY, 0);
    ::dup2(pty->slave(), STDIN_FILENO);
    termios modes = modes_of(STDIN_FILENO);
    modes.c_lflag |= k_line_modes;
    modes.c_iflag |= k_input_modes;
    modes.c_cc[VMIN] = 5;
    modes.c_cc[VTIME] = 7;
    modes.c_cc[VQUIT] = 'q';
    modes.c_cc[VSUSP] = 'z';
    ::tcsetattr(STDIN_FILENO, TCSANOW, &modes);
    ModeChecks check;
    action(check, pty->master());
    return check.wrong();
  });
}

}  // namespace

TEST_CASE("in raw mode every byte typed is read as it is, and leaving restores the modes") {
  CHECK(wrong_on_terminal([](ModeChecks& check, int /*keys*/) {
          const termios before = modes_of(STDIN_FILENO);
          RawTerminal terminal(STDIN_FILENO);
          terminal.leave();  // nothing
          check(same_modes(modes_of(STDIN_FILENO), before));
          check(terminal.enter());
          termios raw = modes_of(STDIN_FILENO);
          check((raw.c_lflag & k_line_modes) == 0);
          check((raw.c_iflag & k_input_modes) == 0);
          check(raw.c_oflag == before.c_oflag);
          check(raw.c_cc[VMIN] == 1 && raw.c_cc[VTIME] == 0);
          check(terminal.enter());  // again: what is restored stays the same
          terminal.leave();
          check(same_modes(modes_of(STDIN_FILENO), before));
        }) == 0);
}

TEST_CASE("in raw mode Ctrl-C may be a signal, but neither Ctrl-Z nor Ctrl-\\ is one") {
  CHECK(wrong_on_terminal([](ModeChecks& check, int /*keys*/) {
          const termios before = modes_of(STDIN_FILENO);
          RawTerminal terminal(STDIN_FILENO);
          terminal.signals(true);  // not yet
          check(same_modes(modes_of(STDIN_FILENO), before));
          check(terminal.enter());
          termios modes = modes_of(STDIN_FILENO);
          check((modes.c_lflag & k_line_modes) == ISIG);
          check(modes.c_cc[VQUIT] == _POSIX_VDISABLE && modes.c_cc[VSUSP] == _POSIX_VDISABLE);
          terminal.signals(false);
          check((modes_of(STDIN_FILENO).c_lflag & k_line_modes) == 0);
          terminal.leave();
          check(terminal.enter());
          check((modes_of(STDIN_FILENO).c_lflag & k_line_modes) == 0);
          terminal.leave();
          check(same_modes(modes_of(STDIN_FILENO), before));
        }) == 0);
}

TEST_CASE("single keys are read without echo, and those of a sequence are left out") {
  CHECK(wrong_on_terminal([](ModeChecks& check, int keys) {
          const termios before = modes_of(STDIN_FILENO);
          {
            KeyInput none(false);
            check(none.descriptor() == -1 && none.read().empty());
            check(same_modes(modes_of(STDIN_FILENO), before));
          }
          {
            KeyInput input(true);
            check(input.descriptor() == STDIN_FILENO);
            const termios single = modes_of(STDIN_FILENO);
            check((single.c_lflag & k_line_modes) == (ISIG | IEXTEN));
            check(single.c_cc[VMIN] == 1 && single.c_cc[VTIME] == 0);
            check(single.c_cc[VQUIT] == _POSIX_VDISABLE);
            check(input.read().empty());
            constexpr std::string_view typed = "a\x1b[Ab\x1bOPc\x1b[5~d\x1b[1;5Ce";
            check(::write(keys, typed.data(), typed.size()) > 0);
            std::string got;
            while (got.size() < 5) got += input.read();
            check(got == "abcde");
            // A sequence may arrive in parts.
            check(::write(keys, "\x1b[", 2) == 2);
            while (!input.read().empty()) continue;
            check(::write(keys, "Bf", 2) == 2);
            got.clear();
            while (got.empty()) got = input.read();
            check(got == "f");
          }
          check(same_modes(modes_of(STDIN_FILENO), before));
        }) == 0);
}

TEST_CASE("typed keys are not echoed into a line that is redrawn, and are afterwards") {
  CHECK(wrong_on_terminal([](ModeChecks& check, int /*keys*/) {
          const auto handler = [] {
            struct sigaction action {};
            ::sigaction(SIGTSTP, nullptr, &action);
            return action.sa_handler;
          };
          ::signal(SIGTSTP, SIG_DFL);
          const termios before = modes_of(STDIN_FILENO);
          {
            QuietKeys quiet(STDIN_FILENO);
            quiet.show();  // nothing
            check(same_modes(modes_of(STDIN_FILENO), before));
            quiet.hide();
            check((modes_of(STDIN_FILENO).c_lflag & k_line_modes) == (ICANON | ISIG | IEXTEN));
            check(handler() != SIG_DFL);
            quiet.show();
            check(same_modes(modes_of(STDIN_FILENO), before));
            check(handler() == SIG_DFL);
            quiet.hide();
            check((modes_of(STDIN_FILENO).c_lflag & ECHO) == 0);
          }
          check(same_modes(modes_of(STDIN_FILENO), before));
          check(handler() == SIG_DFL);
          // A program that is never suspended stays so, and what does not echo is left alone.
          ::signal(SIGTSTP, SIG_IGN);
          termios silent = before;
          silent.c_lflag &= ~static_cast<tcflag_t>(ECHO);
          {
            QuietKeys quiet(STDIN_FILENO);
            quiet.hide();
            check(handler() == SIG_IGN);
            quiet.show();
            check(handler() == SIG_IGN);
            ::tcsetattr(STDIN_FILENO, TCSANOW, &silent);
            quiet.hide();
            ::tcsetattr(STDIN_FILENO, TCSANOW, &before);
            quiet.show();
            check(same_modes(modes_of(STDIN_FILENO), before));
          }
          // The modes of somebody else's terminal are not touched.
          ::signal(SIGTTOU, SIG_IGN);
          const pid_t other = ::fork();
          if (other == 0) {
            ::setpgid(0, 0);
            QuietKeys quiet(STDIN_FILENO);
            quiet.hide();
            const KeyInput input(true);
            RawTerminal raw(STDIN_FILENO);
            ::_exit(same_modes(modes_of(STDIN_FILENO), before) && !raw.enter() &&
                            input.descriptor() < 0
                        ? 0
                        : 1);
          }
          int status = 1;
          ::waitpid(other, &status, 0);
          check(status == 0);
        }) == 0);
}

}  // namespace svc::cli
