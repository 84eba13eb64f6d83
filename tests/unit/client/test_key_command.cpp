#include <chrono>
#include <optional>

#include <doctest/doctest.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "client/key_command.h"
#include "temp_folder.h"

using namespace svc;
using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

namespace {

Result<std::string> run(const std::string& command, std::chrono::milliseconds limit = 10s) {
  return run_key_command("key_command of profile work", command, NoStop{}, limit);
}

Error failure(const std::string& command, std::chrono::milliseconds limit = 10s) {
  auto key = run(command, limit);
  REQUIRE(!key.has_value());
  return key.error();
}

/// Somebody asked to end before the command began.
class Stopped final : public Stop {
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
  // More output than a pipe holds neither blocks nor costs memory.
  CHECK(*run("echo svc-abc; head -c 3000000 /dev/zero") == "svc-abc");
}

TEST_CASE("the command reads nothing of this program's input") {
  CHECK(*run("wc -c | tr -d ' '") == "0");
}

TEST_CASE("a command that fails is named with its exit code and never with its output") {
  Error error = failure("echo svc-secret; exit 3");
  CHECK(error.fault == Fault::Auth);
  CHECK(error.message == "key_command of profile work failed with exit code 3");
  CHECK(error.hint.find("svc-secret") == std::string::npos);
  CHECK(failure("/nonexistent/program 2>/dev/null").message.find("127") != std::string::npos);
  CHECK(failure("kill -9 $$").message.find("signal 9") != std::string::npos);
  CHECK(failure("kill -INT $$").fault == Fault::Interrupted);
}

TEST_CASE("no output is no key") {
  CHECK(failure("true").message == "key_command of profile work printed no key");
  CHECK(failure("echo; echo svc-abc").fault == Fault::Auth);
}

TEST_CASE("a command that does not end is killed") {
  const auto begin = Clock::now();
  const Error error = failure("exec sleep 60", 200ms);
  CHECK(error.fault == Fault::Auth);
  CHECK(error.message.find("did not end within 200 ms") != std::string::npos);
  CHECK(Clock::now() - begin < 5s);
}

TEST_CASE("an agent that the command leaves running does not hold up the key") {
  const auto begin = Clock::now();
  CHECK(*run("sleep 20 & echo svc-abc") == "svc-abc");
  CHECK(Clock::now() - begin < 5s);
}

TEST_CASE("a request to stop ends the wait") {
  const auto begin = Clock::now();
  const auto key = run_key_command("key_command", "exec sleep 60", Stopped{}, 30s);
  REQUIRE(!key.has_value());
  CHECK(key.error().fault == Fault::Terminated);
  CHECK(Clock::now() - begin < 5s);
}

TEST_CASE("signals are as a fresh program has them") {
  struct sigaction ignore {};
  ignore.sa_handler = SIG_IGN;
  struct sigaction before {};
  sigaction(SIGPIPE, &ignore, &before);
  CHECK(*run("(yes 2>/dev/null; echo $? >&2) 2>/dev/null | head -1 >/dev/null; echo ok") == "ok");
  CHECK(failure("kill -PIPE $$").message.find("signal 13") != std::string::npos);
  sigaction(SIGPIPE, &before, nullptr);
}

TEST_CASE("nothing is left open or uncollected") {
  const int before = open_descriptors();
  for (int i = 0; i < 20; ++i) {
    CHECK(run("echo svc-abc").has_value());
    CHECK_FALSE(run("exit 1").has_value());
    CHECK_FALSE(run("exec sleep 9", 1ms).has_value());
  }
  CHECK(open_descriptors() == before);
}
