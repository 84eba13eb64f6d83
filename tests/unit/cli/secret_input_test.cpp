// Typing a secret on a terminal.
#include <array>
#include <atomic>
#include <thread>

#include <doctest/doctest.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <termios.h>
#include <unistd.h>

#include "support/pty.h"
#include "terminal/stdin_buffer.h"

using namespace svc;
using namespace svc::cli;

namespace {

/// Canceled on request, with or without a descriptor for waking.
class SwitchStop final : public CancelToken {
 public:
  explicit SwitchStop(bool wakes) : m_fd(wakes ? ::eventfd(0, EFD_CLOEXEC) : -1) {}
  ~SwitchStop() override {
    if (m_fd >= 0) ::close(m_fd);
  }
  [[nodiscard]] std::optional<Fault> requested() const noexcept override {
    if (!m_asked) return std::nullopt;
    return Fault::Interrupted;
  }
  [[nodiscard]] int wake_fd() const noexcept override { return m_fd; }
  void cancel() {
    m_asked = true;
    if (m_fd >= 0) ::eventfd_write(m_fd, 1);
  }

 private:
  std::atomic<bool> m_asked{false};
  int m_fd;
};

struct Terminal {
  Terminal() : before(pty.modes()) {}
  /// Types when the prompt is printed, and thus after echo is off.
  Result<std::string> read(const std::string& typed, const CancelToken& cancel = NeverCanceled{}) {
    return read_secret(
        pty.slave(),
        [&]() -> Result<void> {
          during = pty.modes();
          CHECK(::write(pty.master(), typed.data(), typed.size()) ==
                static_cast<ssize_t>(typed.size()));
          return {};
        },
        cancel);
  }
  /// The terminal's output so far.
  [[nodiscard]] std::string shown() const {
    std::string text;
    std::array<char, 256> buffer{};
    pollfd ready{pty.master(), POLLIN, 0};
    while (::poll(&ready, 1, 50) == 1) {
      const ssize_t count = ::read(pty.master(), buffer.data(), buffer.size());
      if (count <= 0) break;
      text.append(buffer.data(), static_cast<std::size_t>(count));
    }
    return text;
  }

  test::Pty pty = *test::Pty::open(80, 24);
  std::string before;
  std::string during{};
};

}  // namespace

TEST_CASE("typed text is read and not shown") {
  Terminal terminal;
  const auto secret = terminal.read("svc-secret\n");
  REQUIRE(secret);
  CHECK(*secret == "svc-secret");
  CHECK(terminal.shown().empty());
  CHECK(terminal.before.find("echo") != std::string::npos);
  CHECK(terminal.during.find("echo") == std::string::npos);
  CHECK(terminal.during.find("signals") != std::string::npos);
  CHECK(terminal.pty.modes() == terminal.before);
}

TEST_CASE("a line ends at Return, whatever the terminal converts it to") {
  Terminal terminal;
  CHECK(*terminal.read("abc\r") == "abc");
  CHECK(terminal.read("\n")->empty());
  // The line can be edited as usual.
  CHECK(*terminal.read("abd\x7f"
                       "c\n") == "abc");
  CHECK(*terminal.read("wrong\x15right\n") == "right");
}

TEST_CASE("only the first line is read") {
  Terminal terminal;
  CHECK(*terminal.read("one\ntwo\n") == "one");
}

TEST_CASE("text typed too early was shown and is ignored") {
  Terminal terminal;
  CHECK(::write(terminal.pty.master(), "early\n", 6) == 6);
  CHECK(terminal.shown().find("early") != std::string::npos);
  CHECK(*terminal.read("late\n") == "late");
}

TEST_CASE("the end of input is not a key") {
  Terminal terminal;
  const auto secret = terminal.read("\x04");
  REQUIRE_FALSE(secret);
  CHECK(secret.error().fault == Fault::Usage);
  CHECK(secret.error().message == "no key was given: end of input");
  CHECK(terminal.pty.modes() == terminal.before);
}

TEST_CASE("the keyboard can neither stop nor quit the program while echo is off") {
  Terminal terminal;
  // Ctrl-Z and Ctrl-backslash are ordinary characters here, which no key contains.
  CHECK(*terminal.read("a\x1a\x1c"
                       "b\n") ==
        "a\x1a\x1c"
        "b");
  CHECK(terminal.pty.modes() == terminal.before);
}

TEST_CASE("canceling ends the wait and restores the terminal") {
  for (const bool wakes : {true, false}) {
    CAPTURE(wakes);
    Terminal terminal;
    SwitchStop cancel(wakes);
    std::thread asker([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      cancel.cancel();
    });
    const auto begin = std::chrono::steady_clock::now();
    const auto secret = terminal.read("half a key", cancel);
    asker.join();
    REQUIRE_FALSE(secret);
    CHECK(secret.error().fault == Fault::Interrupted);
    CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(5));
    CHECK(terminal.pty.modes() == terminal.before);
  }
}

TEST_CASE("a failing prompt restores the terminal") {
  const Terminal terminal;
  const auto secret = read_secret(
      terminal.pty.slave(),
      [] {
        return Result<void>(Error{Fault::Local, "no"});
      },
      NeverCanceled{});
  REQUIRE_FALSE(secret);
  CHECK(secret.error().message == "no");
  CHECK(terminal.pty.modes() == terminal.before);
}

TEST_CASE("a terminal with echo off stays so") {
  Terminal terminal;
  termios modes{};
  REQUIRE(::tcgetattr(terminal.pty.slave(), &modes) == 0);
  modes.c_lflag &= ~static_cast<tcflag_t>(ECHO);
  REQUIRE(::tcsetattr(terminal.pty.slave(), TCSANOW, &modes) == 0);
  const std::string before = terminal.pty.modes();
  CHECK(*terminal.read("abc\n") == "abc");
  CHECK(terminal.pty.modes() == before);
}

TEST_CASE("no terminal, no secret") {
  const int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  bool asked = false;
  const auto secret = read_secret(
      null,
      [&] {
        asked = true;
        return Result<void>();
      },
      NeverCanceled{});
  ::close(null);
  REQUIRE_FALSE(secret);
  CHECK(secret.error().fault == Fault::Local);
  CHECK(secret.error().message.starts_with("cannot turn off terminal echo: "));
  CHECK_FALSE(asked);
}
