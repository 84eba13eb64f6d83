#include "signals.h"

#include <atomic>

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

namespace svc::cli {
namespace {

// A signal handler can reach nothing but statics; these are its whole state.
std::atomic<int> g_signal{0};
int g_wake[2] = {-1, -1};

void on_signal(int number) {
  if (g_signal.exchange(number) != 0) {
    // Asked twice: no more waiting, not even for a clean end.
    ::_exit(128 + number);
  }
  const char byte = 1;
  [[maybe_unused]] const ssize_t written = ::write(g_wake[1], &byte, 1);
}

class SignalStop final : public Stop {
 public:
  [[nodiscard]] std::optional<Fault> requested() const noexcept override {
    switch (g_signal.load(std::memory_order_relaxed)) {
      case 0:
        return std::nullopt;
      case SIGINT:
        return Fault::Interrupted;
      default:
        return Fault::Terminated;
    }
  }
  [[nodiscard]] int wake_fd() const noexcept override { return g_wake[0]; }
};

}  // namespace

const Stop& install_signals() {
  static const SignalStop stop;
  if (::pipe2(g_wake, O_CLOEXEC | O_NONBLOCK) != 0) g_wake[0] = g_wake[1] = -1;
  struct sigaction action {};
  action.sa_handler = on_signal;
  ::sigemptyset(&action.sa_mask);
  ::sigaction(SIGINT, &action, nullptr);
  ::sigaction(SIGTERM, &action, nullptr);
  action.sa_handler = SIG_IGN;
  ::sigaction(SIGPIPE, &action, nullptr);
  ::sigaction(SIGXFSZ, &action, nullptr);
  return stop;
}

}  // namespace svc::cli
