#include "terminal/signals.h"

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <new>
#include <utility>

#include <fcntl.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include "base/platform.h"
#include "base/text.h"

namespace svc::cli {
namespace {

// A signal handler can access only static data; this is its whole state.
std::atomic<int> g_signal{0};
int g_wake[2] = {-1, -1};
std::atomic<bool> g_polite{false};  ///< whether a FinishOnInterrupt exists
std::atomic<bool> g_asked{false};
int g_ask[2] = {-1, -1};
int g_watch[2][2] = {{-1, -1}, {-1, -1}};  ///< for SIGWINCH, and for one more signal
std::atomic<const termios*> g_modes{nullptr};
std::atomic<int> g_terminal{-1};

void wake_reader(int fd) {
  const char byte = 1;
  [[maybe_unused]] const ssize_t written = ::write(fd, &byte, 1);
}

void open_pipe(int (&ends)[2]) noexcept {
  auto pipe = make_pipe(Blocking::No);
  ends[0] = pipe ? pipe->read.release() : -1;
  ends[1] = pipe ? pipe->write.release() : -1;
}

void close_pipe(int (&ends)[2]) noexcept {
  for (int& end : ends) {
    const int fd = std::exchange(end, -1);
    if (fd >= 0) ::close(fd);
  }
}

[[noreturn]] void exit_by(int number) {
  restore_terminal();
  ::_exit(128 + number);
}

// `timeout` signals its child and then their process group, so that the child gets two signals.

/// Two signals of one process within this time are one.
constexpr std::int64_t k_one_signal_ms = 5;
std::atomic<std::int64_t> g_sent_at{0};  ///< in ms
std::atomic<std::int64_t> g_sender{0};   ///< process and signal number; 0 for a terminal's keys
std::atomic<bool> g_ending{false};       ///< at the alarm

/// How long ago the same process sent the same signal, in ms; -1 if that was another, or a key.
std::int64_t age_of_last(int number, const siginfo_t* info) {
  struct timespec now {};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  const std::int64_t now_ms = std::int64_t{now.tv_sec} * 1000 + now.tv_nsec / 1'000'000;
  const bool sent = is_from_process(*info);
  const std::int64_t sender = sent ? std::int64_t{info->si_pid} * 256 + number : 0;
  const std::int64_t before_ms = g_sent_at.exchange(now_ms);
  return g_sender.exchange(sender) == sender && sent ? now_ms - before_ms : -1;
}

void on_signal(int number, siginfo_t* info, void*) {
  const std::int64_t age = age_of_last(number, info);
  if (age >= 0 && age < k_one_signal_ms) return;
  if (number == SIGINT && g_polite && !g_asked.exchange(true)) return wake_reader(g_ask[1]);
  if (g_signal.exchange(number) == 0) return wake_reader(g_wake[1]);
  // Second signal: exit without cleanup. A second one from the same process may be a duplicate that
  // a busy machine or a slow disk delivered late: allow a few seconds to finish.
  if (age < 0) exit_by(number);
  if (!g_ending.exchange(true)) ::alarm(3);
}

void on_alarm(int number) {
  exit_by(g_ending ? g_signal.load() : number);
}

int (&watch_of(int number))[2] {
  return g_watch[number == SIGWINCH ? 0 : 1];
}

void on_watched(int number) {
  const int before = errno;
  wake_reader(watch_of(number)[1]);
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

[[noreturn]] void end_at_once() noexcept {
  restore_terminal();
  if (std::current_exception()) {
    report_unexpected_end();
  } else {
    std::fputs("svc: error: this is a bug: terminate() was called\n", stderr);
  }
  ::_exit(1);
}

}  // namespace

const CancelToken& install_signals() {
  static const SignalToken cancel;
  open_pipe(g_wake);
  struct sigaction action {};
  action.sa_sigaction = on_signal;
  action.sa_flags = SA_SIGINFO;
  sigemptyset(&action.sa_mask);
  ::sigaction(SIGINT, &action, nullptr);
  ::sigaction(SIGTERM, &action, nullptr);
  // Signals ignored by nohup or a shell's background job remain ignored.
  for (const int number : {SIGHUP, SIGQUIT}) {
    struct sigaction before {};
    ::sigaction(number, nullptr, &before);
    if (before.sa_handler != SIG_IGN) ::sigaction(number, &action, nullptr);
  }
  action.sa_flags = 0;
  action.sa_handler = on_alarm;
  ::sigaction(SIGALRM, &action, nullptr);
  action.sa_handler = SIG_IGN;
  ::sigaction(SIGPIPE, &action, nullptr);
  ::sigaction(SIGXFSZ, &action, nullptr);
  return cancel;
}

FinishOnInterrupt::FinishOnInterrupt() noexcept {
  open_pipe(g_ask);
  g_asked = false;
  g_polite = true;
}

FinishOnInterrupt::~FinishOnInterrupt() {
  g_polite = false;
  close_pipe(g_ask);
}

std::optional<Fault> FinishOnInterrupt::requested() const noexcept {
  return g_asked ? std::optional(Fault::Interrupted) : std::nullopt;
}

int FinishOnInterrupt::wake_fd() const noexcept {
  return g_ask[0];
}

SignalWatch::SignalWatch(int number) noexcept : m_number(number) {
  open_pipe(watch_of(number));
  struct sigaction action {};
  action.sa_handler = on_watched;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  ::sigaction(number, &action, nullptr);
}

SignalWatch::~SignalWatch() {
  // Ignore the signal from now on: a late one must not end the program.
  ::signal(m_number, m_number == SIGWINCH ? SIG_DFL : SIG_IGN);
  close_pipe(watch_of(m_number));
}

int SignalWatch::descriptor() const noexcept {
  return watch_of(m_number)[0];
}

bool SignalWatch::take() noexcept {
  char bytes[64];
  bool came = false;
  while (::read(descriptor(), bytes, sizeof bytes) > 0) came = true;
  return came;
}

void restore_at_exit(int fd, const termios* modes) noexcept {
  g_modes = nullptr;
  g_terminal = fd;
  g_modes = modes;
}

void restore_terminal() noexcept {
  if (const termios* modes = g_modes) ::tcsetattr(g_terminal, TCSANOW, modes);
}

void report_unexpected_end() noexcept {
  try {
    throw;
  } catch (const std::bad_alloc&) {
    std::fputs("svc: error: out of memory\n", stderr);
  } catch (const std::exception& bug) {
    std::fprintf(stderr, "svc: error: this is a bug: %s\n",
                 visible(bug.what(), Lines::Escape).c_str());
  } catch (...) {
    std::fputs("svc: error: this is a bug: an unknown exception\n", stderr);
  }
}

void install_terminate_handler() noexcept {
  std::set_terminate(end_at_once);
}

}  // namespace svc::cli
