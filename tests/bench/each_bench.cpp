// Compares `svc chat --each` with `curl -Z` in alternating runs on one keep-alive server, and with
// a client library if tests/bench/run has found one. Prints a row of the table.
//   svc-each-bench [PROMPTS] [RUNS] [JOBS]
#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <unordered_map>
#include <vector>

#include <CLI/CLI.hpp>
#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "listener.h"
#include "process.h"
#include "row.h"

namespace {

using svc::bench::Cost;
using svc::bench::median;
using svc::bench::Words;

/// Answers chat completions in one process with one thread, so that all clients wait alike.
class ChatServer {
 public:
  ChatServer() {
    const std::string body =
        R"({"id":"c54f6f0f-0fd1-4c5c-8ac8-2d1d1f6e6a4e","object":"chat.completion",)"
        R"("created":1700000000,"model":"svc-4.5","choices":[{"index":0,"message":)"
        R"({"role":"assistant","content":"Rome is the capital of Italy.","refusal":null},)"
        R"("finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":12,)"
        R"("total_tokens":21,"cost_in_usd_ticks":420000},"system_fingerprint":"fp_0000000000"})";
    m_answer = fmt::format(
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {}\r\n"
        "x-request-id: c54f6f0f-0fd1-4c5c-8ac8-2d1d1f6e6a4e\r\n\r\n{}",
        body.size(), body);
    const svc::bench::Listener listener = svc::bench::listen_on_loopback(1024);
    m_listener = listener.fd;
    m_url = fmt::format("http://127.0.0.1:{}", listener.port);
    m_process = ::fork();
    if (m_process == 0) serve();
    ::close(m_listener);
  }
  ChatServer(const ChatServer&) = delete;
  ChatServer& operator=(const ChatServer&) = delete;
  ~ChatServer() {
    ::kill(m_process, SIGKILL);
    ::waitpid(m_process, nullptr, 0);
  }

  [[nodiscard]] const std::string& url() const { return m_url; }

 private:
  [[noreturn]] void serve() {
    const int poll = ::epoll_create1(EPOLL_CLOEXEC);
    watch(poll, m_listener);
    std::array<epoll_event, 256> events{};
    while (true) {
      const int count = ::epoll_wait(poll, events.data(), static_cast<int>(events.size()), -1);
      for (int i = 0; i < count; ++i) {
        const int fd = events[static_cast<std::size_t>(i)].data.fd;
        if (fd != m_listener) {
          if (!answer(fd)) {
            m_unread.erase(fd);
            ::close(fd);
          }
          continue;
        }
        const int connection = ::accept4(m_listener, nullptr, nullptr, SOCK_CLOEXEC);
        const int on = 1;
        ::setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        watch(poll, connection);
      }
    }
  }

  static void watch(int poll, int fd) {
    epoll_event event{.events = EPOLLIN, .data = {.fd = fd}};
    if (::epoll_ctl(poll, EPOLL_CTL_ADD, fd, &event) != 0) ::_exit(1);
  }

  /// Reads available data and answers each complete request; false if the client disconnected.
  bool answer(int fd) {
    std::array<char, 16'384> bytes{};
    const ssize_t got = ::recv(fd, bytes.data(), bytes.size(), 0);
    if (got <= 0) return false;
    std::string& unread = m_unread[fd];
    unread.append(bytes.data(), static_cast<std::size_t>(got));
    while (true) {
      const std::size_t head = unread.find("\r\n\r\n");
      std::size_t at = unread.find("Content-Length: ");
      if (at == std::string::npos) at = unread.find("content-length: ");
      if (head == std::string::npos || at > head) return true;
      const std::size_t whole = head + 4 + std::stoul(unread.substr(at + 16, 12));
      if (unread.size() < whole) return true;
      unread.erase(0, whole);
      if (::send(fd, m_answer.data(), m_answer.size(), MSG_NOSIGNAL) < 0) return false;
    }
  }

  std::string m_answer{};
  std::string m_url{};
  std::unordered_map<int, std::string> m_unread{};
  int m_listener = -1;
  pid_t m_process = -1;
};

struct Samples {
  std::vector<double> wall{}, cpu{}, ratio{};
  double memory = 0;

  Cost add(const Words& words) {
    const Cost cost = svc::bench::run_once(words);
    wall.push_back(cost.wall);
    cpu.push_back(cost.cpu);
    memory = std::max(memory, cost.memory);
    return cost;
  }
  void print(const std::string& what) const {
    fmt::print(stderr, "{:<28} wall {:>6.2f} s   cpu {:>6.2f} s   memory {:>5.1f} MB\n", what,
               median(wall), median(cpu), memory);
  }
};

/// Does the same work with the client library that tests/bench/run has found, if any.
void compare_library(int prompts, int jobs) {
  const char* script = std::getenv("SVC_BENCH_CLIENT");
  if (script == nullptr) return;
  Samples theirs;
  theirs.add({"node", script, std::to_string(prompts), std::to_string(jobs)});
  theirs.print("client library");
}

}  // namespace

int main(int argc, char** argv) {
  int prompts = 20'000;
  int runs = 7;
  int jobs = 32;
  CLI::App app{"Compares `svc chat --each` with curl."};
  app.add_option("prompts", prompts, "Number of prompts")->check(CLI::PositiveNumber);
  app.add_option("runs", runs, "Pairs of runs")->check(CLI::PositiveNumber);
  app.add_option("jobs", jobs, "Requests at once")->check(CLI::PositiveNumber);
  CLI11_PARSE(app, argc, argv);
  const ChatServer server;
  ::setenv("SVC_BASE_URL", server.url().c_str(), 1);
  ::setenv("SVC_API_KEY", "svc-bench-key-0000", 1);
  ::setenv("XDG_CONFIG_HOME", "/nonexistent", 1);
  char directory[] = "/tmp/svc-each-XXXXXX";
  if (::mkdtemp(directory) == nullptr) return 1;
  const std::string input = std::string(directory) + "/prompts.txt";
  {
    std::ofstream lines(input);
    for (int i = 0; i < prompts; ++i) lines << "What is the capital of country " << i << "?\n";
  }
  const Words curl = {
      "curl",
      "-sS",
      "-Z",
      "--no-progress-meter",
      "--parallel-max",
      std::to_string(jobs),
      fmt::format("{}/v1/chat/completions?[1-{}]", server.url(), prompts),
      "-H",
      "Authorization: Bearer svc-bench-key-0000",
      "-H",
      "Content-Type: application/json",
      "-o",
      "/dev/null",
      "--data-raw",
      R"({"model":"svc-4.5","messages":[{"role":"user","content":"What is the capital of country 1?"}]})"};
  Samples ours;
  Samples theirs;
  for (int i = 0; i < runs; ++i) {
    const std::string journal = fmt::format("{}/{}.journal", directory, i);
    const Cost a = ours.add({svc::bench::measured_program(SVC_PROGRAM), "chat", "--each", input, "{}",
                             "--jobs", std::to_string(jobs), "--journal", journal, "-q"});
    const Cost b = theirs.add(curl);
    ours.ratio.push_back(a.wall / b.wall);
  }
  ours.print("chat --each");
  theirs.print("curl -Z");
  compare_library(prompts, jobs);
  std::filesystem::remove_all(directory);
  const double ratio = median(ours.ratio);
  svc::bench::print_row(
      fmt::format("chat --each, {} prompts, {} jobs", prompts, jobs), "2.5 x curl -Z, 40 MB",
      fmt::format("{:.2f} x, {:.2f} s, {:.1f} MB", ratio, median(ours.wall), ours.memory),
      ratio <= 2.5 && ours.memory <= 40);
}
