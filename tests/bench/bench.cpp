// Compares svc with curl in alternating runs on the same machine, and prints the results with their
// targets. tests/bench/run runs it; no test depends on its numbers.
//   svc-bench [--runs N] [--events N] [--only PART]
// PART is start, request, https, stream, delay, recording, files, memory or image.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "process.h"
#include "row.h"
#include "server.h"
#include "support/fault_server.h"

namespace {

using svc::bench::Pairs;
using svc::bench::print_row;
using svc::bench::Words;

/// Runs both in turn, and prints medians and their ratios to standard error.
Pairs compare(const std::string& what, int runs, const Words& ours, const Words& theirs) {
  const Pairs pairs = svc::bench::run_pairs(runs, ours, theirs);
  fmt::print(stderr,
             "{:<28} wall {:>9.2f} ms / {:>9.2f} ms = {:>5.2f}   cpu {:>9.2f} ms / {:>9.2f} ms = "
             "{:>5.2f}   memory {:>5.1f} MB / {:>5.1f} MB\n",
             what, pairs.ours.wall * 1e3, pairs.theirs.wall * 1e3, pairs.wall, pairs.ours.cpu * 1e3,
             pairs.theirs.cpu * 1e3, pairs.cpu, pairs.ours.memory, pairs.theirs.memory);
  return pairs;
}

/// Uploads ten files of 49.9 MB; downloads 500 MB.
void compare_files(int runs, const std::string& svc, const std::string& url) {
  char directory[] = "/tmp/svc-bench-XXXXXX";
  if (::mkdtemp(directory) == nullptr) return;
  const std::string file = std::string(directory) + "/data.bin";
  const std::string saved = std::string(directory) + "/saved.bin";
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
  ::rmdir(directory);
}

/// A file of `bytes` fillers between `start` and `end`; the destructor removes it.
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

/// The largest recording that the service accepts: 500 MB in a form.
void compare_recording(int runs, const std::string& svc, const std::string& url) {
  const BigFile head("talk.mp3", "ID3", 0, '\0');
  if (::truncate(head.path().c_str(), 500'000'000) != 0) return;
  const Pairs pairs =
      compare("500 MB recording", runs, {svc, "stt", head.path(), "-q"},
              {"curl", "-sS", url + "/v1/stt", "-H", "Authorization: Bearer svc-bench-key-0000",
               "-F", "file=@" + head.path()});
  print_row("500 MB transcription upload", "1.1 x curl, 24 MB",
            fmt::format("{:.2f} x, {:.1f} MB", pairs.wall, pairs.ours.memory),
            pairs.wall <= 1.1 && pairs.ours.memory < 24);
}

/// An image that svc encodes as base64 into the JSON body; curl gets the finished body.
void compare_image(int runs, const std::string& svc, const Words& curl) {
  constexpr std::size_t k_bytes = 20'000'000;
  const BigFile image("image.png", "\x89PNG\r\n\x1a\n", k_bytes - 8, '\0');
  const BigFile body("body.json", R"({"model":"svc-imagine-image","image":"data:image/png;base64,)",
                     (k_bytes + 2) / 3 * 4, 'A', "\"}");
  Words theirs = curl;
  theirs.end()[-2] = "--data-binary";
  theirs.back() = "@" + body.path();
  const Pairs pairs =
      compare("20 MB image", runs,
              {svc, "chat", "Hi", "--no-stream", "-q", "--image", image.path()}, theirs);
  print_row("20 MB image sent as base64", "1.5 x curl, 24 MB",
            fmt::format("{:.2f} x, {:.1f} MB", pairs.wall, pairs.ours.memory),
            pairs.wall <= 1.5 && pairs.ours.memory < 24);
}

struct Bench {
  std::string svc;
  std::string url;  ///< the chat endpoint
  std::uint64_t events;
  std::uint64_t text;  ///< bytes of text in the events
  int runs;

  [[nodiscard]] int few() const { return std::max(1, runs / 3); }
  [[nodiscard]] Words curl(const std::string& body) const {
    return {"curl",       "-sS",
            "-N",         url,
            "-H",         "Authorization: Bearer svc-bench-key-0000",
            "-H",         "Content-Type: application/json",
            "--data-raw", body};
  }
  [[nodiscard]] Words chat(std::initializer_list<std::string> flags) const {
    Words words = {svc, "chat", "Hi", "-q"};
    words.insert(words.end(), flags);
    return words;
  }
};

/// Targets: times of curl.
#ifdef SVC_PORTABLE
constexpr double k_start = 0.2;
constexpr double k_http = 0.55;
constexpr double k_https = 0.3;
#else
constexpr double k_start = 0.3;
constexpr double k_http = 1.1;
constexpr double k_https = 0.6;
#endif
constexpr double k_request_memory = 18;  // MB

constexpr const char* k_rest = R"("model":"svc-4.5","messages":[{"role":"user","content":"Hi"}]})";

void compare_start(const Bench& bench) {
  const std::vector<std::pair<std::string, Words>> starts = {
      {"--version", {bench.svc, "--version"}}, {"completion", {bench.svc, "__complete", "ch"}}};
  for (const auto& [name, words] : starts) {
    const Pairs pairs = compare("start, " + name, bench.runs * 4, words, {"curl", "--version"});
    print_row("start, " + name, fmt::format("{:.2f} x curl --version", k_start),
              fmt::format("{:.2f} x, {:.1f} ms", pairs.wall, pairs.ours.wall * 1e3),
              pairs.wall <= k_start);
  }
}

void print_request(const std::string& scheme, double most, const Pairs& pairs) {
  print_row("one " + scheme + " request on loopback",
            fmt::format("{:.2f} x curl, {:.0f} MB", most, k_request_memory),
            fmt::format("{:.2f} x, {:.1f} MB", pairs.wall, pairs.ours.memory),
            pairs.wall <= most && pairs.ours.memory < k_request_memory);
}

void compare_request(const Bench& bench) {
  print_request("HTTP", k_http,
                compare("one chat", bench.runs * 4, bench.chat({"--no-stream"}),
                        bench.curl(std::string("{") + k_rest)));
}

/// What each does with the system's certificates if they include the server's: curl reads the
/// bundle, svc looks the certificate up in the directory.
void compare_https(Bench bench) {
  const auto server = svc::test::FaultServer::start(
      svc::test::script("reply 200 application/json "
                        R"({"choices":[{"index":0,"message":{"role":"assistant","content":"Hi"}}]})"
                        "\nclose\nloop"),
      {.tls = svc::test::Tls::Good});
  char directory[] = "/tmp/svc-bench-XXXXXX";
  if (!server || ::mkdtemp(directory) == nullptr) std::exit(1);
  ::setenv("SVC_BENCH_CA", (*server)->ca_file().c_str(), 1);
  ::setenv("SSL_CERT_DIR", directory, 1);
  if (std::system(R"(
      cat /etc/ssl/certs/ca-certificates.crt "$SVC_BENCH_CA" >"$SSL_CERT_DIR/bundle.pem" &&
      cp "$SVC_BENCH_CA" "$SSL_CERT_DIR/$(openssl x509 -noout -hash -in "$SVC_BENCH_CA").0")") != 0)
    std::exit(1);
  const std::string plain = std::getenv("SVC_BASE_URL");
  ::setenv("SVC_BASE_URL", (*server)->url().c_str(), 1);
  bench.url = (*server)->url("/v1/chat/completions");
  Words theirs = bench.curl(std::string("{") + k_rest);
  theirs.insert(theirs.end(), {"--cacert", std::string(directory) + "/bundle.pem"});
  print_request("HTTPS", k_https,
                compare("one chat over TLS", bench.runs * 4, bench.chat({"--no-stream"}), theirs));
  ::setenv("SVC_BASE_URL", plain.c_str(), 1);
  ::unsetenv("SSL_CERT_DIR");
  std::filesystem::remove_all(directory);
}

void compare_streams(const Bench& bench) {
  const std::string streamed = std::string(R"({"stream":true,)") + k_rest;
  const std::string bare = std::string(R"({"stream":true,"user":"bare",)") + k_rest;
  struct Stream {
    std::string name;
    Words ours;
    Words theirs;
    double most;  ///< target: at most this many times curl's CPU time
  };
  const std::vector<Stream> streams = {
      {"text", bench.chat({}), bench.curl(streamed), 1.0},
      {"jsonl", bench.chat({"-f", "jsonl"}), bench.curl(streamed), 1.2},
      {"raw", bench.chat({"-f", "raw", "--stream"}), bench.curl(streamed), 1.2},
      {"without chunks", bench.chat({"--user", "bare"}), bench.curl(bare), 2.0}};
  for (const Stream& stream : streams) {
    const Pairs pairs = compare("stream, " + stream.name, bench.few(), stream.ours, stream.theirs);
    print_row(fmt::format("stream of {} events, {}", bench.events, stream.name),
              fmt::format("{:.1f} x CPU of curl -N, 20 MB", stream.most),
              fmt::format("{:.2f} x, {:.1f} MB", pairs.cpu, pairs.ours.memory),
              pairs.cpu <= stream.most && pairs.ours.memory < 20);
  }
  // A Node.js client library, if tests/bench/run has found one.
  if (const char* script = std::getenv("SVC_BENCH_CLIENT"); script != nullptr) {
    const Pairs pairs = compare("stream, client library", 1, bench.chat({}), {"node", script});
    print_row("stream, npm client library", "less CPU and memory",
              fmt::format("{:.2f} x CPU, {:.1f} MB, its {:.1f} MB", pairs.cpu, pairs.ours.memory,
                          pairs.theirs.memory),
              pairs.cpu < 1 && pairs.ours.memory < pairs.theirs.memory);
  }
}

/// Times in ms from just before an event is sent until its line can be read from svc's output.
std::vector<double> delays(const svc::bench::Server& server, const Words& words) {
  const auto shown = svc::bench::line_times(words);
  const auto sent = server.paced();
  std::vector<double> all;
  for (std::size_t i = 0; i < std::min(sent.size(), shown.size()); ++i) {
    all.push_back(std::chrono::duration<double, std::milli>(shown[i] - sent[i]).count());
  }
  std::ranges::sort(all);
  if (sent.empty() || shown.size() < sent.size()) std::exit(1);
  return all;
}

void compare_delays(const Bench& bench, const svc::bench::Server& server) {
  const auto ours = delays(server, bench.chat({"--user", "paced"}));
  const auto raw = delays(server, bench.chat({"--user", "paced", "-f", "jsonl"}));
  const auto text = [](const std::vector<double>& all) {
    return fmt::format("median {:.2f}, 95 % {:.2f} ms", all[all.size() / 2],
                       all[all.size() * 95 / 100]);
  };
  print_row("delay, event to text", "1 ms", text(ours), ours[ours.size() / 2] <= 1);
  print_row("delay, event to JSON line", "1 ms", text(raw), raw[raw.size() / 2] <= 1);
}

/// Memory that grows with the answer may be a multiple of its size plus what the program needs.
void measure_memory(const Bench& bench) {
  constexpr double k_program = 20;  // MB
  const auto row = [](const std::string& what, const Words& words, double answer, double times) {
    const double memory = svc::bench::run_once(words).memory;
    const double bound = times * answer + k_program;
    print_row(what, times == 0 ? "32 MB" : fmt::format("{:.1f} x answer, {:.0f} MB", times, bound),
              fmt::format("{:.1f} MB for {:.0f} MB", memory, answer),
              memory <= (times == 0 ? 32 : bound));
  };
  std::string text;
  for (int i = 0; i < 4'000; ++i) text += "This is one of many short sentences. ";
  const BigFile book("book.txt", text, 0, 'a');
  const BigFile sound("book.pcm", "", 0, 'a');
  const BigFile subtitles("book.srt", "", 0, 'a');
  row("book to speech with subtitles",
      {bench.svc, "tts", "@" + book.path(), "--split", "-o", sound.path(), "--subtitles",
       subtitles.path(), "--force", "-q"},
      10 * svc::bench::k_speech_base64 / 1e6, 0);
  row("stream as one document", bench.chat({"--stream", "-f", "json"}),
      static_cast<double>(bench.text) / 1e6, 2.5);
  const BigFile boat("boat.png", "", 0, 'a');
  row("image in the answer", {bench.svc, "images", "a boat", "-o", boat.path(), "--force", "-q"},
      svc::bench::k_image_base64 / 1e6, 1.5);
  const BigFile schema("schema.json", R"({"type":"object"})", 1, '\n', "");
  row("answer checked by --schema",
      bench.chat({"--no-stream", "--user", "long", "--schema", schema.path()}),
      svc::bench::k_long_text / 1e6, 7);
}

}  // namespace

int main(int argc, char** argv) {
  int runs = 15;
  std::uint64_t events = 1'000'000;
  std::string only;
  CLI::App app{"Compares svc with curl."};
  app.add_option("--only", only, "Part to run")
      ->check(CLI::IsMember({"start", "request", "https", "stream", "delay", "recording", "files",
                             "memory", "image"}));
  app.add_option("--runs", runs, "Pairs of runs")->check(CLI::PositiveNumber);
  app.add_option("--events", events, "Events of the stream")->check(CLI::PositiveNumber);
  CLI11_PARSE(app, argc, argv);
  const svc::bench::Server server(events, 300);
  ::setenv("SVC_BASE_URL", server.url().c_str(), 1);
  ::setenv("SVC_API_KEY", "svc-bench-key-0000", 1);
  ::setenv("XDG_CONFIG_HOME", "/nonexistent", 1);
  const Bench bench{svc::bench::measured_program(SVC_PROGRAM),
                    server.url() + "/v1/chat/completions", events, server.text_bytes(), runs};
  const std::vector<std::pair<std::string, std::function<void()>>> parts = {
      {"start", [&] { compare_start(bench); }},
      {"request", [&] { compare_request(bench); }},
      {"https", [&] { compare_https(bench); }},
      {"stream", [&] { compare_streams(bench); }},
      {"delay", [&] { compare_delays(bench, server); }},
      {"recording", [&] { compare_recording(bench.few(), bench.svc, server.url()); }},
      {"files", [&] { compare_files(bench.few(), bench.svc, server.url()); }},
      {"memory", [&] { measure_memory(bench); }},
      {"image",
       [&] { compare_image(bench.few(), bench.svc, bench.curl(std::string("{") + k_rest)); }},
  };
  for (const auto& [name, measure] : parts) {
    if (only.empty() || only == name) measure();
  }
}
