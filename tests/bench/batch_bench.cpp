// Measures the batch commands: `batches results` with many pages, and checking and sending a file
// with many lines. Prints throughput and peak memory. Usage: svc-batch-bench [ITEMS].
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "listener.h"
#include "row.h"

namespace {

constexpr std::uint64_t k_page = 1000;
constexpr std::size_t k_digits = 9;

/// Responds like a service whose batches have `items` results of about a kilobyte.
class PageServer {
 public:
  explicit PageServer(std::uint64_t items) : m_items(items) {
    m_page = R"({"results":[)";
    for (std::uint64_t i = 0; i < k_page; ++i) {
      m_page += i > 0 ? "," : "";
      m_page += R"({"batch_request_id":"r)";
      m_ids.push_back(m_page.size());
      m_page += std::string(k_digits, '0') +
                R"(","batch_result":{"response":{"chat_get_completion":{"id":"0","object":)"
                R"("chat.completion","created":1700000000,"model":"svc-4.3","choices":[{"index":0,)"
                R"("message":{"role":"assistant","content":")" +
                std::string(700, 'x') +
                R"("},"finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":90,)"
                R"("total_tokens":99,"cost_in_usd_ticks":420000}}}}})";
    }
    m_page += R"(],"pagination_token":")";
    const svc::bench::Listener listener = svc::bench::listen_on_loopback(64);
    m_listener = listener.fd;
    m_url = fmt::format("http://127.0.0.1:{}", listener.port);
    std::thread([this] { serve(); }).detach();
  }

  [[nodiscard]] const std::string& url() const { return m_url; }
  [[nodiscard]] double megabytes() const {
    return static_cast<double>(m_page.size()) * static_cast<double>(m_items / k_page) / 1e6;
  }

 private:
  void serve() {
    while (true) {
      const int connection = ::accept4(m_listener, nullptr, nullptr, SOCK_CLOEXEC);
      if (connection < 0) return;
      const int on = 1;
      ::setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
      std::string target;
      std::thread([this, connection, target]() mutable {
        while (read(connection, target)) answer(connection, target);
        ::close(connection);
      }).detach();
    }
  }

  static bool read(int fd, std::string& target) {
    std::string text;
    std::vector<char> buffer(1U << 20U);
    std::size_t head = std::string::npos;
    std::size_t length = 0;
    std::size_t had = 0;
    while (head == std::string::npos || had < head + 4 + length) {
      const ssize_t count = ::recv(fd, buffer.data(), buffer.size(), 0);
      if (count <= 0) return false;
      had += static_cast<std::size_t>(count);
      if (head != std::string::npos) continue;
      text.append(buffer.data(), static_cast<std::size_t>(count));
      head = text.find("\r\n\r\n");
      const std::size_t at = text.find("Content-Length: ");
      if (head != std::string::npos && at < head) length = std::stoul(text.substr(at + 16));
      if (head != std::string::npos && text.find("Expect: 100") < head) {
        send(fd, "HTTP/1.1 100 Continue\r\n\r\n");
      }
    }
    target = text.substr(0, text.find('\r'));
    return true;
  }

  static void send(int fd, const std::string& bytes) {
    for (std::size_t at = 0; at < bytes.size();) {
      const ssize_t sent = ::send(fd, bytes.data() + at, bytes.size() - at, MSG_NOSIGNAL);
      if (sent <= 0) return;
      at += static_cast<std::size_t>(sent);
    }
  }

  static void reply(int fd, const std::string& body) {
    send(fd, fmt::format("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: "
                         "{}\r\n\r\n",
                         body.size()));
    send(fd, body);
  }

  void answer(int fd, const std::string& target) {
    if (target.find("/results") != std::string::npos) {
      const std::lock_guard lock(m_mutex);
      const std::size_t at = target.find("pagination_token=");
      const std::uint64_t page = at == std::string::npos ? 0 : std::stoull(target.substr(at + 17));
      for (std::uint64_t i = 0; i < k_page; ++i) {
        m_page.replace(m_ids[i], k_digits, fmt::format("{:09}", page * k_page + i));
      }
      const bool last = (page + 1) * k_page >= m_items;
      reply(fd, m_page + (last ? "" : std::to_string(page + 1)) + "\"}");
    } else if (target.find("/requests") != std::string::npos) {
      reply(fd, "null");
    } else {
      reply(fd, R"({"batch_id":"b","state":{"num_requests":1,"num_pending":1}})");
    }
  }

  std::uint64_t m_items;
  std::mutex m_mutex{};
  std::string m_page{};  ///< guarded by m_mutex once the server runs
  std::vector<std::size_t> m_ids{};
  std::string m_url{};
  int m_listener = -1;
};

struct Cost {
  double rate = 0;  // MB/s
  double peak = 0;  // MB
};

Cost measure(const std::string& what, double megabytes, std::uint64_t items,
             const std::vector<std::string>& words) {
  const auto begin = std::chrono::steady_clock::now();
  const pid_t child = ::fork();
  if (child == 0) {
    const int nothing = ::open("/dev/null", O_RDWR);
    ::dup2(nothing, 0);
    ::dup2(nothing, 1);
    std::vector<char*> arguments;
    for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    ::execvp(arguments[0], arguments.data());
    ::_exit(127);
  }
  int status = 0;
  rusage used{};
  ::wait4(child, &status, 0, &used);
  const double wall =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  const double cpu = static_cast<double>(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
                     static_cast<double>(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6;
  fmt::print(stderr,
             "{:<34} {:>8.2f} s {:>8.1f} MB/s {:>10.0f} items/s   cpu {:>6.2f} s   peak {:>5.1f} MB"
             "   exit {}\n",
             what, wall, megabytes / wall, static_cast<double>(items) / wall, cpu,
             static_cast<double>(used.ru_maxrss) / 1024.0, WEXITSTATUS(status));
  return {megabytes / wall, static_cast<double>(used.ru_maxrss) / 1024.0};
}

/// Prints the result; the targets are `rate` in MB/s and `peak` in MB.
void judge(const std::string& what, double rate, double peak, const Cost& cost,
           const std::string& more = {}) {
  svc::bench::print_row(what, fmt::format("{:.0f} MB/s, {:.0f} MB", rate, peak),
                        fmt::format("{:.0f} MB/s, {:.1f} MB{}", cost.rate, cost.peak, more),
                        cost.rate >= rate && cost.peak < peak);
}

/// A file without requests must be rejected before it is read to its end.
void refuse(const std::string& svc, const std::string& path, const std::string& name,
            const std::string& start, bool lines) {
  constexpr double k_megabytes = 10'000;
  {
    std::ofstream out(path);
    out << start;
    for (int i = 0; lines && i < 2'000'000; ++i) out << R"({"custom_id":"a"})" << '\n';
  }
  std::filesystem::resize_file(path, static_cast<std::uintmax_t>(k_megabytes * 1e6));
  const auto begin = std::chrono::steady_clock::now();
  const Cost cost =
      measure("refused, " + name, k_megabytes, 1, {svc, "batches", "run", path, "-q"});
  const double wall =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  svc::bench::print_row("10 GB refused, " + name, "2 s, 64 MB",
                        fmt::format("{:.2f} s, {:.1f} MB", wall, cost.peak),
                        wall < 2 && cost.peak < 64);
}

}  // namespace

int main(int argc, char** argv) {
  std::uint64_t items = 1'000'000;
  CLI::App app{"Measures batches of many results and requests."};
  app.add_option("items", items, "Number of results")->check(CLI::PositiveNumber);
  CLI11_PARSE(app, argc, argv);
  const PageServer server(items);
  const auto directory =
      std::filesystem::temp_directory_path() / fmt::format("svc-bench-{}", ::getpid());
  std::filesystem::create_directories(directory);
  ::setenv("SVC_BASE_URL", server.url().c_str(), 1);
  ::setenv("SVC_API_KEY", "svc-bench-key-0000", 1);
  ::setenv("XDG_CONFIG_HOME", directory.c_str(), 1);
  const std::string svc = svc::bench::measured_program(SVC_PROGRAM);
  const std::vector<std::string> results = {svc, "batches", "results", "b", "-f"};
  const Cost curl = measure("results, curl", server.megabytes(), items,
                            {"curl", "-sS", "-H", "Authorization: Bearer svc-bench-key-0000",
                             fmt::format("{}/v1/batches/b/results?pagination_token=[0-{}]",
                                         server.url(), items / k_page - 1)});
  for (const auto& [format, rate] :
       {std::pair("jsonl", 500.0), std::pair("raw", 500.0), std::pair("text", 300.0)}) {
    std::vector<std::string> words = results;
    words.emplace_back(format);
    const Cost cost = measure(fmt::format("results, {}", format), server.megabytes(), items, words);
    judge(fmt::format("batch results, {}", format), rate, 20, cost,
          fmt::format(", {:.2f} x curl's time", curl.rate / cost.rate));
  }
  const std::string input = (directory / "in.jsonl").string();
  {
    std::ofstream out(input);
    for (std::uint64_t i = 0; i < items; ++i) {
      out << fmt::format(
          R"({{"custom_id":"r{:09}","method":"POST","url":"/v1/chat/completions","body":{{"model":"svc-4.3","messages":[{{"role":"user","content":"{}"}}]}}}})"
          "\n",
          i, std::string(200, 'y'));
    }
  }
  const double size = static_cast<double>(std::filesystem::file_size(input)) / 1e6;
  const std::string refused = (directory / "refused.jsonl").string();
  refuse(svc, refused, "sparse", "", false);
  refuse(svc, refused, "first line is bad", "{\n", true);
  refuse(svc, refused, "one line", R"({"a":")" + std::string(50'000'000, 'x'), false);
  std::filesystem::remove(refused);
  judge("batches run, checking", 500, 32,
        measure("run, checking alone", size, items, {svc, "batches", "run", input, "--dry-run"}));
  // Exits with 8, as the batches never finish. More than 100 calls would hit the service's rate
  // limit.
  const Cost sent = measure("run, checking and sending", size, items,
                            {svc, "batches", "run", input, "--wait-timeout", "1ms", "-q",
                             "--batch-size", "1000000", "--call-size", "12000"});
  judge("batches run, checking and sending", 30, 96, sent);
  std::filesystem::remove_all(directory);
}
