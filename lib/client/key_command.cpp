#include "client/key_command.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <optional>

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/text.h"
#include "client/command_group.h"

namespace svc {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t k_max_key_output = 64U << 10U;

/// Takes what is there; false at the end of the output.
bool drain(int fd, std::string& output) {
  std::array<char, 4096> buffer{};
  for (;;) {
    const ssize_t count = read(fd, buffer.data(), buffer.size());
    if (count > 0) {
      const std::size_t room = k_max_key_output - output.size();
      output.append(buffer.data(), std::min(room, static_cast<std::size_t>(count)));
    } else if (count == 0 || (errno != EAGAIN && errno != EINTR)) {
      return count != 0 && errno == EAGAIN;
    } else if (errno == EAGAIN) {
      return true;
    }
  }
}

Error cut_short(Fault fault) {
  return Error{fault, "interrupted while a key was asked for"};
}

Result<void> check_end(std::string_view name, int status) {
  const std::string hint = "Run it by hand to see what it says; it must print the key.";
  if (WIFSIGNALED(status)) {
    const int signal = WTERMSIG(status);
    // Ctrl-C, typed while it had the terminal.
    if (signal == SIGINT) return cut_short(Fault::Interrupted);
    return Error{Fault::Auth, fmt::format("{} was ended by signal {}", name, signal), hint};
  }
  const int code = WEXITSTATUS(status);
  if (code == 0) return {};
  if (code == 128 + SIGINT) return cut_short(Fault::Interrupted);
  if (code == 127) {
    return Error{Fault::Auth,
                 fmt::format("{} names a command that was not found (exit code 127)", name), hint};
  }
  return Error{Fault::Auth, fmt::format("{} failed with exit code {}", name, code), hint};
}

std::string first_line(const std::string& output) {
  std::string line = output.substr(0, output.find('\n'));
  if (line.ends_with('\r')) line.pop_back();
  return line;
}

}  // namespace

Result<std::string> run_key_command(std::string_view name, const std::string& command,
                                    const CancelToken& cancel, std::chrono::milliseconds limit) {
  const Clock::time_point deadline = Clock::now() + limit;
  SVC_TRY(child, CommandGroup::start(name, command));
  std::string output;
  for (;;) {
    // The end is asked for first: what was written before it is then in the pipe. Waiting for the
    // pipe's end would hang on an agent that the command left running.
    SVC_TRY(status, child.look(name));
    if (child.output() >= 0 && !drain(child.output(), output)) child.close_output();
    if (status) {
      SVC_CHECK(check_end(name, *status));
      break;
    }
    if (const auto fault = cancel.requested()) return cut_short(*fault);
    if (Clock::now() >= deadline) {
      return Error{Fault::Auth,
                   fmt::format("{} did not end within {}", name, format_duration(limit)),
                   "Run it by hand: perhaps it waits for a passphrase."};
    }
    child.wait(deadline, cancel);
  }
  std::string line = first_line(output);
  if (line.empty()) {
    return Error{Fault::Auth, fmt::format("{} printed no key", name),
                 "Its first line of output must be the key alone."};
  }
  return line;
}

}  // namespace svc
