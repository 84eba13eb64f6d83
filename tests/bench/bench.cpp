// Measures svc against curl, in pairs, on the same machine in the same minute, and prints ratios
// (design §9). Run by hand; no test depends on its numbers.
//   svc-bench [--runs N] [--events N] [--only recording]
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "server.h"

namespace {

struct Cost {
  double wall = 0;    // seconds
  double cpu = 0;     // seconds, user and system
  double memory = 0;  // MB, resident at its peak
};

using Words = std::vector<std::string>;

Cost run_once(const Words& words) {
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
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - begin;
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    fmt::print(stderr, "{} failed with status {}\n", words[0], status);
    std::exit(1);
  }
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return {wall.count(), seconds(used.ru_utime) + seconds(used.ru_stime),
          static_cast<double>(used.ru_maxrss) / 1024.0};
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2),
                   values.end());
  return values[values.size() / 2];
}

/// Runs both in turn and prints medians and their ratios.
void compare(const std::string& what, int runs, const Words& ours, const Words& theirs) {
  run_once(ours);
  run_once(theirs);
  std::vector<double> wall[2];
  std::vector<double> cpu[2];
  double memory[2] = {0, 0};
  for (int i = 0; i < runs; ++i) {
    for (int side = 0; side < 2; ++side) {
      const Cost cost = run_once(side == 0 ? ours : theirs);
      wall[side].push_back(cost.wall);
      cpu[side].push_back(cost.cpu);
      memory[side] = std::max(memory[side], cost.memory);
    }
  }
  const double w[2] = {median(wall[0]), median(wall[1])};
  const double c[2] = {median(cpu[0]), median(cpu[1])};
  fmt::print(
      "{:<28} wall {:>9.2f} ms / {:>9.2f} ms = {:>5.2f}   cpu {:>9.2f} ms / {:>9.2f} ms = "
      "{:>5.2f}   memory {:>5.1f} MB / {:>5.1f} MB\n",
      what, w[0] * 1e3, w[1] * 1e3, w[0] / w[1], c[0] * 1e3, c[1] * 1e3, c[0] / c[1], memory[0],
      memory[1]);
}

/// Ten files of 49.9 MB up, 500 MB down.
void compare_files(int runs, const std::string& svc, const std::string& url) {
  char folder[] = "/tmp/svc-bench-XXXXXX";
  if (::mkdtemp(folder) == nullptr) return;
  const std::string file = std::string(folder) + "/data.bin";
  const std::string saved = std::string(folder) + "/saved.bin";
  const int fd = ::open(file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  if (fd < 0 || ::ftruncate(fd, 49'900'000) != 0) return;
  ::close(fd);
  const std::string key = "Authorization: Bearer svc-bench-key-0000";
  Words ours = {svc, "files", "upload", "-q"};
  Words theirs = {"curl"};
  for (int i = 0; i < 10; ++i) {
    ours.push_back(file);
    if (i > 0) theirs.emplace_back("--next");
    theirs.insert(theirs.end(), {"-sS", url + "/v1/files", "-H", key, "-F", "file=@" + file});
  }
  compare("upload, 10 x 49.9 MB", runs, ours, theirs);
  const std::string content = url + "/v1/files/500000000/content";
  compare("download 500 MB, pipe", runs, {svc, "files", "download", "500000000"},
          {"curl", "-sS", content, "-H", key});
  compare("download 500 MB, file", runs,
          {svc, "files", "download", "500000000", "-o", saved, "--force"},
          {"curl", "-sS", content, "-H", key, "-o", saved});
  ::unlink(file.c_str());
  ::unlink(saved.c_str());
  ::rmdir(folder);
}

/// A file of so many bytes behind `start`, removed at the end.
class BigFile {
 public:
  BigFile(const std::string& name, const std::string& start, std::size_t bytes, char filler,
          const std::string& end = {})
      : m_path(fmt::format("/tmp/svc-bench-{}-{}", ::getpid(), name)) {
    std::ofstream out(m_path, std::ios::binary);
    const std::string block(1U << 20U, filler);
    out << start;
    for (std::size_t left = bytes; left > 0;) {
      const std::size_t count = std::min(left, block.size());
      out.write(block.data(), static_cast<std::streamsize>(count));
      left -= count;
    }
    out << end;
  }
  BigFile(const BigFile&) = delete;
  BigFile& operator=(const BigFile&) = delete;
  ~BigFile() { ::unlink(m_path.c_str()); }

  [[nodiscard]] const std::string& path() const { return m_path; }

 private:
  std::string m_path;
};

/// The largest recording that the service takes (api 2 §2.5): 500 MB in a form.
void compare_recording(int runs, const std::string& svc, const std::string& url) {
  const BigFile head("talk.mp3", "ID3", 0, '\0');
  if (::truncate(head.path().c_str(), 500'000'000) != 0) return;
  compare("500 MB recording", runs, {svc, "stt", head.path(), "-q"},
          {"curl", "-sS", url + "/v1/stt", "-H", "Authorization: Bearer svc-bench-key-0000", "-F",
           "file=@" + head.path()});
}

/// An image that goes into the JSON body as base64: curl is given the finished body.
void compare_image(int runs, const std::string& svc, const Words& curl) {
  constexpr std::size_t k_bytes = 20'000'000;
  const BigFile image("image.png", "\x89PNG\r\n\x1a\n", k_bytes - 8, '\0');
  const BigFile body("body.json", R"({"model":"svc-imagine-image","image":"data:image/png;base64,)",
                     (k_bytes + 2) / 3 * 4, 'A', "\"}");
  Words theirs = curl;
  theirs.back() = "--data-binary";
  theirs.push_back("@" + body.path());
  compare("20 MB image", runs, {svc, "chat", "Hi", "--no-stream", "-q", "--image", image.path()},
          theirs);
}

}  // namespace

int main(int argc, char** argv) {
  int runs = 15;
  std::uint64_t events = 1'000'000;
  std::string only;
  for (int i = 1; i + 1 < argc; i += 2) {
    if (std::string(argv[i]) == "--only") only = argv[i + 1];
    if (std::string(argv[i]) == "--runs") runs = std::max(1, std::atoi(argv[i + 1]));
    if (std::string(argv[i]) == "--events") events = std::strtoull(argv[i + 1], nullptr, 10);
  }
  const svc::bench::Server server(events, 300);
  const std::string chat = server.url() + "/v1/chat/completions";
  ::setenv("SVC_BASE_URL", server.url().c_str(), 1);
  ::setenv("SVC_API_KEY", "svc-bench-key-0000", 1);
  ::setenv("XDG_CONFIG_HOME", "/nonexistent", 1);
  const std::string svc = SVC_PROGRAM;
  const Words curl = {"curl",      "-sS",
                      "-N",        chat,
                      "-H",        "Authorization: Bearer svc-bench-key-0000",
                      "-H",        "Content-Type: application/json",
                      "--data-raw"};
  const auto with = [](Words words, const std::string& last) {
    words.push_back(last);
    return words;
  };
  fmt::print("{:<28} svc / curl, medians of {} runs\n", "", runs);
  if (only == "recording") {
    compare_recording(runs, svc, server.url());
    return 0;
  }
  compare("start (--version)", runs * 4, {svc, "--version"}, {"curl", "--version"});
  compare("start (completion)", runs * 4, {svc, "completion", "bash"}, {"curl", "--version"});
  const std::string body = R"({"model":"svc-4.5","messages":[{"role":"user","content":"Hi"}]})";
  compare("one chat", runs * 4, {svc, "chat", "Hi", "--no-stream", "-q"}, with(curl, body));
  const std::string streamed = R"({"stream":true,)" + body.substr(1);
  const std::string bare = R"({"stream":true,"user":"bare",)" + body.substr(1);
  const int few = std::max(1, runs / 3);
  const Words ask = {svc, "chat", "Hi", "-q"};
  const auto more = [&](std::initializer_list<std::string> flags) {
    Words words = ask;
    words.insert(words.end(), flags);
    return words;
  };
  compare("stream, text", few, ask, with(curl, streamed));
  compare("stream, jsonl", few, more({"-f", "jsonl"}), with(curl, streamed));
  compare("stream, raw", few, more({"-f", "raw", "--stream"}), with(curl, streamed));
  compare_image(few, svc, curl);
  compare("bare stream, text", few, more({"--user", "bare"}), with(curl, bare));
  compare_files(few, svc, server.url());
  compare_recording(few, svc, server.url());
}
