#include <array>
#include <chrono>
#include <fstream>
#include <optional>
#include <thread>
#include <vector>

#include <doctest/doctest.h>
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "client/key_command.h"
#include "support/pty.h"
#include "temp_directory.h"

using namespace svc;
using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

namespace {

Result<std::string> run(const std::string& command, std::chrono::milliseconds limit = 10s) {
  return run_key_command("key_command of profile work", command, NeverCanceled{}, limit);
}

Error failure(const std::string& command, std::chrono::milliseconds limit = 10s) {
  auto key = run(command, limit);
  REQUIRE(!key.has_value());
  return key.error();
}

/// Canceled before the command started.
class Stopped final : public CancelToken {
 public:
  Stopped() : m_fd(eventfd(1, EFD_CLOEXEC)) {}
  ~Stopped() override { close(m_fd); }
  [[nodiscard]] std::optional<Fault> requested() const noexcept override {
    return Fault::Terminated;
  }
  [[nodiscard]] int wake_fd() const noexcept override { return m_fd; }

 private:
  int m_fd;
};

/// Cancels once a file has content, that is, when the command has got that far.
class StopWhenWritten final : public CancelToken {
 public:
  explicit StopWhenWritten(std::filesystem::path file) : m_file(std::move(file)) {}
  [[nodiscard]] std::optional<Fault> requested() const noexcept override {
    std::error_code ec;
    if (std::filesystem::file_size(m_file, ec) > 0 && !ec) return Fault::Interrupted;
    return std::nullopt;
  }
  [[nodiscard]] int wake_fd() const noexcept override { return -1; }

 private:
  std::filesystem::path m_file;
};

/// The processes whose IDs are in a file, one per line.
std::vector<pid_t> pids_in(const std::filesystem::path& file) {
  std::vector<pid_t> pids;
  std::ifstream in(file);
  for (pid_t pid = 0; in >> pid;) pids.push_back(pid);
  return pids;
}

bool runs(pid_t pid) {
  std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
  std::string number;
  std::string program;
  std::string state;
  return (stat >> number >> program >> state) && state != "Z" && state != "X";
}

/// Whether all have exited soon. An orphan's exit is reported to another process, so this polls.
bool all_end(const std::vector<pid_t>& pids) {
  for (const pid_t pid : pids) {
    const auto until = Clock::now() + 3s;
    while (runs(pid)) {
      if (Clock::now() > until) return false;
      std::this_thread::sleep_for(5ms);
    }
  }
  return true;
}

enum class Ground { Fore, Back };

/// In a child process: makes `pty` its terminal, runs the command and writes the key or the error
/// to `result`.
[[noreturn]] void run_in_session(const test::Pty& pty, const std::string& command, Ground ground,
                                 int result) {
  setsid();
  ioctl(pty.slave(), TIOCSCTTY, 0);
  pid_t other = -1;
  if (ground == Ground::Back) {
    // Another group has the terminal: one that only waits.
    signal(SIGTTOU, SIG_IGN);
    other = fork();
    if (other == 0) {
      pause();
      _exit(0);
    }
    setpgid(other, other);
    tcsetpgrp(pty.slave(), other);
  }
  const auto key = run(command);
  std::string text = key ? *key : key.error().message + "\n" + key.error().hint;
  if (ground == Ground::Fore && tcgetpgrp(pty.slave()) != getpgrp()) text += ", terminal lost";
  if (other > 0) kill(other, SIGKILL);
  [[maybe_unused]] const auto written = write(result, text.data(), text.size());
  _exit(0);
}

/// Runs a key command on a terminal, types `typed` once it prints something, and returns the key or
/// the error.
std::string run_at(const test::Pty& pty, const std::string& command, const std::string& typed,
                   Ground ground = Ground::Fore) {
  std::array<int, 2> result{};
  REQUIRE(pipe(result.data()) == 0);
  const pid_t child = fork();
  if (child == 0) run_in_session(pty, command, ground, result[1]);
  close(result[1]);
  if (!typed.empty()) {
    pollfd shown{pty.master(), POLLIN, 0};
    CHECK(poll(&shown, 1, 5000) == 1);
    CHECK(write(pty.master(), typed.data(), typed.size()) == static_cast<ssize_t>(typed.size()));
  }
  std::string text(1000, '\0');
  const ssize_t count = read(result[0], text.data(), text.size());
  close(result[0]);
  waitpid(child, nullptr, 0);
  text.resize(static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
  return text;
}

int open_descriptors() {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    static_cast<void>(entry);
    ++count;
  }
  return count;
}

}  // namespace

TEST_CASE("the first line of the output is the key") {
  CHECK(*run("printf 'svc-abc'") == "svc-abc");
  CHECK(*run("printf 'svc-abc\\nuser: me\\n'") == "svc-abc");
  CHECK(*run("printf 'svc-abc\\r\\n'") == "svc-abc");
  CHECK(*run("a=svc; echo \"$a-$(echo 1)\"") == "svc-1");
  // More output than a pipe's capacity neither blocks nor uses memory.
  CHECK(*run("echo svc-abc; head -c 3000000 /dev/zero") == "svc-abc");
}

TEST_CASE("the command does not read this program's input") {
  CHECK(*run("wc -c | tr -d ' '") == "0");
}

TEST_CASE("a failing command is reported with its exit code and never with its output") {
  struct Row {
    const char* command;
    const char* message;
  };
  for (const Row& row :
       {Row{"echo svc-secret; exit 3", "key_command of profile work failed with exit code 3"},
        Row{"exit 126", "key_command of profile work failed with exit code 126"},
        Row{"exit 128", "key_command of profile work failed with exit code 128"},
        Row{"/nonexistent/program 2>/dev/null",
            "key_command of profile work: command not found (exit code 127)"},
        Row{"kill -9 $$", "key_command of profile work was terminated by signal 9"}}) {
    const Error error = failure(row.command);
    CHECK(error.fault == Fault::Auth);
    CHECK(error.message == row.message);
    CHECK(error.hint == "Run it yourself and check that it prints the key.");
  }
  for (const char* interrupted : {"kill -INT $$", "exit 130"}) {
    const Error error = failure(interrupted);
    CHECK(error.fault == Fault::Interrupted);
    CHECK(error.message == "interrupted while waiting for a key");
    CHECK(error.hint.empty());
  }
}

TEST_CASE("no output is not a key") {
  for (const char* command : {"true", "echo; echo svc-abc", "printf '\\r\\n'"}) {
    const Error error = failure(command);
    CHECK(error.fault == Fault::Auth);
    CHECK(error.message == "key_command of profile work printed no key");
    CHECK(error.hint == "Its first line of output must be the key alone.");
  }
}

TEST_CASE("a command that does not exit is killed") {
  const auto begin = Clock::now();
  const Error error = failure("exec sleep 60", 200ms);
  CHECK(error.fault == Fault::Auth);
  CHECK(error.message == "key_command of profile work did not exit within 200 ms");
  CHECK(error.hint == "Run it yourself: it may be waiting for a passphrase.");
  CHECK(Clock::now() - begin < 5s);
}

TEST_CASE("an agent left running by the command does not delay the key") {
  const auto begin = Clock::now();
  CHECK(*run("sleep 20 & echo svc-abc") == "svc-abc");
  CHECK(Clock::now() - begin < 5s);
}

TEST_CASE("canceling ends the wait") {
  const auto begin = Clock::now();
  const auto key = run_key_command("key_command", "exec sleep 60", Stopped{}, 30s);
  REQUIRE(!key.has_value());
  CHECK(key.error().fault == Fault::Terminated);
  CHECK(Clock::now() - begin < 5s);
}

TEST_CASE("processes started by the command are killed with it") {
  const test::TempDirectory directory;
  const std::string file = (directory.path() / "pids").string();
  // The shell ignores SIGTERM; a program in the background, one in a pipeline.
  const std::string command = "trap '' TERM; sleep 60 & echo $$ > " + file + ".new; echo $! >> " +
                              file + ".new; mv " + file + ".new " + file + "; sleep 60 | cat";
  SUBCASE("at the time limit") {
    CHECK(failure(command, 700ms).message.find("did not exit") != std::string::npos);
  }
  SUBCASE("when canceled") {
    const auto key = run_key_command("key_command", command, StopWhenWritten(file), 30s);
    REQUIRE(!key.has_value());
    CHECK(key.error().fault == Fault::Interrupted);
  }
  const auto pids = pids_in(file);
  CHECK(pids.size() == 2);
  CHECK(all_end(pids));
}

TEST_CASE("a background agent outlives a command that exits normally") {
  const test::TempDirectory directory;
  const std::string file = (directory.path() / "pids").string();
  CHECK(*run("sleep 60 > /dev/null 2>&1 & echo $! > " + file + "; echo svc-abc") == "svc-abc");
  const auto pids = pids_in(file);
  REQUIRE(pids.size() == 1);
  CHECK(runs(pids.front()));
  kill(pids.front(), SIGKILL);
}

TEST_CASE("a terminated command may clean up") {
  const test::TempDirectory directory;
  const std::string file = (directory.path() / "tidy").string();
  CHECK(failure("trap 'echo done > " + file + "; exit 1' TERM; sleep 60 & wait", 500ms).fault ==
        Fault::Auth);
  CHECK(test::slurp(file) == "done\n");
}

TEST_CASE("a command prompts on the terminal") {
  auto pty = test::Pty::open(80, 24);
  REQUIRE(pty.has_value());
  const std::string before = pty->modes();
  SUBCASE("and gets the answer") {
    CHECK(run_at(*pty, "printf Passphrase: > /dev/tty; read -r word < /dev/tty; echo svc-$word",
                 "open\n") == "svc-open");
  }
  SUBCASE("without echo") {
    CHECK(run_at(*pty,
                 "stty -echo < /dev/tty; printf ? > /dev/tty; read -r word < /dev/tty; echo $word",
                 "abc\n") == "abc");
  }
  SUBCASE("and is interrupted there") {
    CHECK(run_at(*pty, "stty -echo < /dev/tty; printf ? > /dev/tty; read -r word < /dev/tty",
                 "\x03") == "interrupted while waiting for a key\n");
  }
  SUBCASE("and is stopped there, and continues") {
    // Nobody here continues a process stopped by Ctrl-Z, so the system stops only the borrower.
    CHECK(run_at(*pty, "stty -echo < /dev/tty; printf ? > /dev/tty; read -r w < /dev/tty; echo $w",
                 "\x1a"
                 "abc\n") == "abc");
  }
  SUBCASE("while another process has it") {
    CHECK(run_at(*pty, "read -r word < /dev/tty; echo $word", "", Ground::Back) ==
          "key_command of profile work needs the terminal, which is in use\n"
          "Run this in the foreground, or unlock the password manager first.");
  }
  CHECK(pty->modes() == before);
}

TEST_CASE("signals are as in a new program") {
  struct sigaction ignore {};
  ignore.sa_handler = SIG_IGN;
  struct sigaction before {};
  sigaction(SIGPIPE, &ignore, &before);
  CHECK(*run("(yes 2>/dev/null; echo $? >&2) 2>/dev/null | head -1 >/dev/null; echo ok") == "ok");
  CHECK(failure("kill -PIPE $$").message.find("signal 13") != std::string::npos);
  sigaction(SIGPIPE, &before, nullptr);
}

TEST_CASE("no descriptor or process is left") {
  const int before = open_descriptors();
  for (int i = 0; i < 20; ++i) {
    CHECK(run("echo svc-abc").has_value());
    CHECK_FALSE(run("exit 1").has_value());
    CHECK_FALSE(run("exec sleep 9", 1ms).has_value());
  }
  CHECK(open_descriptors() == before);
}
