// The whole program in child processes: announcement, exit, one state file for two.
#include <csignal>
#include <iostream>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fcntl.h>
#include <nlohmann/json.hpp>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file_descriptor.h"
#include "emulator/server/serve.h"
#include "emulator/state/state.h"
#include "unit/emulator/core_support.h"

using namespace svc;
using namespace svc::emulator;
using test::get_request;
using test::RawClient;
using test::TemporaryDirectory;

namespace {

struct Pipe {
  FileDescriptor read{}, write{};
  Pipe() {
    int ends[2] = {-1, -1};
    REQUIRE(::pipe2(ends, O_CLOEXEC) == 0);
    read.reset(ends[0]);
    write.reset(ends[1]);
  }
};

// A fork whose child does not repeat the parent's unflushed output.
pid_t fork_quietly() {
  std::cout.flush();
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  return child;
}

/// serve() in a child process.
class Program {
 public:
  explicit Program(Options options) {
    Pipe announcement;
    m_child = fork_quietly();
    if (m_child == 0) {
      m_parent.write.reset();
      options.announce_fd = announcement.write.release();
      if (options.parent_fd >= 0) options.parent_fd = m_parent.read.get();
      const auto served = serve(options, "test");
      ::_exit(served ? 0 : static_cast<int>(served.error().fault));
    }
    announcement.write.reset();
    m_parent.read.reset();
    char byte = 0;
    while (::read(announcement.read.get(), &byte, 1) == 1) m_line += byte;
  }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;
  ~Program() {
    if (m_child > 0) {
      ::kill(m_child, SIGKILL);
      (void)wait();
    }
  }

  [[nodiscard]] nlohmann::json announced() const { return nlohmann::json::parse(m_line); }
  [[nodiscard]] std::uint16_t port() const {
    const std::string url = announced()["base_url"];
    return static_cast<std::uint16_t>(std::stoi(url.substr(url.rfind(':') + 1)));
  }
  void signal(int number) const { ::kill(m_child, number); }
  void close_parent_fd() { m_parent.write.reset(); }
  /// The exit code, or 128 plus the signal's number.
  [[nodiscard]] int wait() {
    int status = 0;
    ::waitpid(m_child, &status, 0);
    m_child = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
  [[nodiscard]] std::string get(const std::string& path) const {
    RawClient client(port());
    client.send(get_request(path));
    return client.receive_response();
  }

 private:
  Pipe m_parent{};
  pid_t m_child = -1;
  std::string m_line{};
};

Options in_memory() {
  Options options;
  options.state = ":memory:";
  options.quiet = true;
  return options;
}

}  // namespace

TEST_CASE("it announces itself, serves, and exits cleanly on a signal") {
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    Program program(in_memory());
    CHECK(program.announced()["api_key"] == k_demo_key);
    CHECK(program.announced()["team_id"] == k_demo_team_id);
    CHECK(program.get("/v1/api-key").starts_with("HTTP/1.1 200 "));
    program.signal(number);
    CHECK(program.wait() == 0);
  }
}

TEST_CASE("it exits when its parent's descriptor closes") {
  Options options = in_memory();
  options.parent_fd = 0;
  Program program(options);
  CHECK(program.get("/v1/models").starts_with("HTTP/1.1 200 "));
  program.close_parent_fd();
  CHECK(program.wait() == 0);
}

TEST_CASE("it exits when its parent does") {
  Pipe alive;  // open as long as the emulator runs
  Pipe ready;
  const pid_t middle = fork_quietly();
  if (middle == 0) {
    alive.read.reset();
    if (::fork() == 0) {
      Options options = in_memory();
      options.die_with_parent = true;
      options.announce_fd = ready.write.get();
      const auto served = serve(options, "test");
      ::_exit(served ? 0 : 1);
    }
    ready.write.reset();
    char byte = 0;
    (void)!::read(ready.read.get(), &byte, 1);
    ::_exit(0);  // the emulator is running; now it loses its parent
  }
  alive.write.reset();
  ::waitpid(middle, nullptr, 0);
  pollfd end{alive.read.get(), POLLIN, 0};
  CHECK(::poll(&end, 1, 10'000) == 1);
}

TEST_CASE("with TLS it writes the authority's certificate to a file, and removes it on exit") {
  Options options = in_memory();
  options.tls = true;
  Program program(options);
  const std::string file = program.announced()["ca_file"];
  CHECK(::access(file.c_str(), R_OK) == 0);
  CHECK(program.announced()["base_url"].get<std::string>().starts_with("https://127.0.0.1:"));
  program.signal(SIGTERM);
  CHECK(program.wait() == 0);
  CHECK(::access(file.c_str(), F_OK) != 0);
}

TEST_CASE("a port in use ends it with the exit code for local errors") {
  Program first(in_memory());
  Options options = in_memory();
  options.port = first.port();
  Program second(options);
  CHECK(second.wait() == static_cast<int>(Fault::Local));
}

TEST_CASE("two programs share one state file") {
  const TemporaryDirectory directory;
  Options options = in_memory();
  options.state = directory.file("state.db");
  Program first(options);
  Program second(options);
  {
    auto state = State::open(*options.state);
    REQUIRE(state.has_value());
    for (int i = 0; i < 20; ++i) {
      const auto id = "00000000-0000-4000-8000-0000000000" + std::to_string(10 + i);
      REQUIRE((*state)->add_deferred({id, std::string(k_demo_team_id), 0, "{}"}).has_value());
    }
  }
  int ready = 0;
  for (int i = 0; i < 20; ++i) {
    const auto path =
        "/v1/chat/deferred-completion/00000000-0000-4000-8000-0000000000" + std::to_string(10 + i);
    for (const Program* program : {&first, &second}) {
      if (program->get(path).starts_with("HTTP/1.1 200 ")) ++ready;
    }
  }
  CHECK(ready == 20);
}
