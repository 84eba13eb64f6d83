#include "terminal/signals.h"

#include <atomic>
#include <cerrno>
#include <utility>

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

namespace svc::cli {
namespace {

// A signal handler can reach nothing but statics; these are its whole state.
std::atomic<int> g_signal{0};
int g_wake[2] = {-1, -1};
std::atomic<bool> g_polite{false};  ///< a FinishOnInterrupt lives
std::atomic<bool> g_asked{false};
int g_ask[2] = {-1, -1};
int g_window[2] = {-1, -1};
std::atomic<const termios*> g_modes{nullptr};
std::atomic<int> g_terminal{-1};

void wake_reader(int fd) {
  const char byte = 1;
  [[maybe_unused]] const ssize_t written = ::write(fd, &byte, 1);
}

void on_signal(int number) {
  if (number == SIGINT && g_polite && !g_asked.exchange(true)) return wake_reader(g_ask[1]);
  if (g_signal.exchange(number) != 0) {
    // Asked twice: no more waiting, not even for a clean end.
    restore_terminal();
    ::_exit(128 + number);
  }
  wake_reader(g_wake[1]);
}

void on_window(int /*number*/) {
  const int before = errno;
  wake_reader(g_window[1]);
  errno = before;
}

class SignalToken final : public CancelToken {
 public:
  [[nodiscard]] std::optional<Fault> requested() const noexcept override {
    switch (g_signal.load(std::memory_order_relaxed)) {
      case 0:
        return std::nullopt;
      case SIGHUP:
        return Fault::HungUp;
      case SIGINT:
        return Fault::Interrupted;
      case SIGQUIT:
        return Fault::Quit;
      default:
        return Fault::Terminated;
    }
  }
  [[nodiscard]] int wake_fd() const noexcept override { return g_wake[0]; }
};

}  // namespace

const CancelToken& install_signals() {
  static const SignalToken cancel;
  if (::pipe2(g_wake, O_CLOEXEC | O_NONBLOCK) != 0) g_wake[0] = g_wake[1] = -1;
  struct sigaction action {};
  action.sa_handler = on_signal;
  ::sigemptyset(&action.sa_mask);
  ::sigaction(SIGINT, &action, nullptr);
  ::sigaction(SIGTERM, &action, nullptr);
  // What nohup or a shell's background job ignores stays ignored.
  for (const int number : {SIGHUP, SIGQUIT}) {
    struct sigaction before {};
    ::sigaction(number, nullptr, &before);
    if (before.sa_handler != SIG_IGN) ::sigaction(number, &action, nullptr);
  }
  action.sa_handler = SIG_IGN;
  ::sigaction(SIGPIPE, &action, nullptr);
  ::sigaction(SIGXFSZ, &action, nullptr);
  return cancel;
}

FinishOnInterrupt::FinishOnInterrupt() noexcept {
  if (::pipe2(g_ask, O_CLOEXEC | O_NONBLOCK) != 0) g_ask[0] = g_ask[1] = -1;
  g_asked = false;
  g_polite = true;
}

FinishOnInterrupt::~FinishOnInterrupt() {
  g_polite = false;
  for (int& end : g_ask) {
    const int fd = std::exchange(end, -1);
    if (fd >= 0) ::close(fd);
  }
}

bool FinishOnInterrupt::asked() const noexcept {
  return g_asked;
}

int FinishOnInterrupt::descriptor() const noexcept {
  return g_ask[0];
}

WindowChanges::WindowChanges() noexcept {
  if (::pipe2(g_window, O_CLOEXEC | O_NONBLOCK) != 0) g_window[0] = g_window[1] = -1;
  struct sigaction action {};
  action.sa_handler = on_window;
  action.sa_flags = SA_RESTART;
  ::sigemptyset(&action.sa_mask);
  ::sigaction(SIGWINCH, &action, nullptr);
}

WindowChanges::~WindowChanges() {
  ::signal(SIGWINCH, SIG_DFL);
  for (int& end : g_window) {
    const int fd = std::exchange(end, -1);
    if (fd >= 0) ::close(fd);
  }
}

int WindowChanges::descriptor() const noexcept {
  return g_window[0];
}

void WindowChanges::take() noexcept {
  char bytes[64];
  while (::read(g_window[0], bytes, sizeof bytes) > 0) continue;
}

void restore_at_exit(int fd, const termios* modes) noexcept {
  g_modes = nullptr;
  g_terminal = fd;
  g_modes = modes;
}

void restore_terminal() noexcept {
  if (const termios* modes = g_modes) ::tcsetattr(g_terminal, TCSANOW, modes);
}

}  // namespace svc::cli
