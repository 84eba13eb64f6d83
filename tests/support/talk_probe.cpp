#include "support/talk_probe.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/base64.h"
#include "base/text.h"
#include "support/case_process.h"
#include "support/fault_frames.h"
#include "support/sound_card.h"

extern char** environ;

namespace svc::test {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds k_probe_patience{10'000};
constexpr auto k_answer_length = std::chrono::seconds(3);

Error probe_failed(const std::string& what) {
  return Error{Fault::Local, "svc " + what};
}

}  // namespace

Result<std::unique_ptr<TalkProbe>> TalkProbe::start(TalkProbeOptions options) {
  std::unique_ptr<TalkProbe> probe(new TalkProbe(std::move(options)));
  SVC_CHECK(probe->listen());
  SVC_CHECK(probe->launch());
  SVC_CHECK(probe->shake_hands());
  return probe;
}

Result<void> TalkProbe::listen() {
  m_listener = Fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::bind(m_listener.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 ||
      ::listen(m_listener.get(), 1) != 0) {
    return system_error("cannot listen", errno);
  }
  return {};
}

Result<void> TalkProbe::launch() {
  sockaddr_in address{};
  socklen_t length = sizeof address;
  ::getsockname(m_listener.get(), reinterpret_cast<sockaddr*>(&address), &length);
  SpawnPlan plan;
  plan.argv = {"/usr/bin/env", m_options.program, "realtime",      "talk",
               "-v",           "--no-stdin",      "--format=jsonl"};
  plan.argv.insert(plan.argv.end(), m_options.arguments.begin(), m_options.arguments.end());
  for (char** one = environ; *one != nullptr; ++one) plan.env.emplace_back(*one);
  std::erase_if(plan.env, [](const std::string& one) {
    return one.starts_with("SVC_REALTIME_URL=") || one.starts_with("SVC_API_KEY=");
  });
  plan.env.push_back(fmt::format("SVC_REALTIME_URL=ws://127.0.0.1:{}", ntohs(address.sin_port)));
  plan.env.emplace_back("SVC_API_KEY=made-up");
  plan.directory = m_options.directory;
  const Fd null(::open("/dev/null", O_RDWR | O_CLOEXEC));
  const Fd errors(::open((m_options.directory + "/probe.err").c_str(),
                         O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  plan.in = plan.out = null.get();
  plan.err = errors.get();
  SVC_TRY(pid, spawn(plan));
  m_svc = std::make_unique<Companion>(pid);
  return {};
}

Result<void> TalkProbe::shake_hands() {
  pollfd wait{m_listener.get(), POLLIN, 0};
  if (::poll(&wait, 1, static_cast<int>(k_probe_patience.count())) <= 0) {
    return probe_failed("does not connect");
  }
  m_socket = Fd(::accept4(m_listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
  const int yes = 1;
  ::setsockopt(m_socket.get(), IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  std::string head;
  std::array<char, 4'096> bytes{};
  while (head.find("\r\n\r\n") == std::string::npos) {
    const ssize_t count = ::read(m_socket.get(), bytes.data(), bytes.size());
    if (count <= 0) return probe_failed("does not request a WebSocket");
    head.append(bytes.data(), static_cast<std::size_t>(count));
  }
  const std::string name = "sec-websocket-key: ";
  const std::size_t at = to_lower(head).find(name);
  if (at == std::string::npos) return probe_failed("sends no key");
  const std::size_t begin = at + name.size();
  const std::string accept = websocket_accept(head.substr(begin, head.find('\r', begin) - begin));
  const std::string answer = fmt::format(
      "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
      "Sec-WebSocket-Accept: {}\r\n\r\n",
      accept);
  (void)!::write(m_socket.get(), answer.data(), answer.size());
  say(R"({"type":"session.created","session":{"id":"s1"}})");
  say(R"({"type":"conversation.created","conversation":{"id":"c1"}})");
  if (wait_for("session.update", k_probe_patience).empty()) {
    return probe_failed("does not configure its session");
  }
  say(R"({"type":"session.updated","session":{"id":"s1"}})");
  if (wait_for("input_audio_buffer.append", k_probe_patience).empty()) {
    return probe_failed("sends no audio");
  }
  return {};
}

void TalkProbe::say(std::string_view json) {
  const std::string bytes = frame_bytes(fmt::format("text {}", json)).value_or("");
  std::string_view rest = bytes;
  while (!rest.empty()) {
    const ssize_t count = ::send(m_socket.get(), rest.data(), rest.size(), MSG_NOSIGNAL);
    if (count <= 0) return;
    rest.remove_prefix(static_cast<std::size_t>(count));
  }
}

/// Sends like the service: 100 ms at a time, faster than real time.
void TalkProbe::say_answer(const std::vector<std::int16_t>& samples) {
  say(fmt::format(R"({{"type":"response.created","response":{{"id":"r{}"}}}})", m_answers));
  const std::size_t chunk = 2'400;
  for (std::size_t at = 0; at < samples.size(); at += chunk) {
    const std::size_t count = std::min(chunk, samples.size() - at);
    const std::string_view bytes(reinterpret_cast<const char*>(samples.data() + at), count * 2);
    say(fmt::format(
        R"({{"type":"response.output_audio.delta","response_id":"r{0}","item_id":"a{0}","delta":"{1}"}})",
        m_answers, base64_encode(bytes)));
  }
}

std::string TalkProbe::wait_for(std::string_view text, milliseconds limit) {
  const auto until = Clock::now() + limit;
  while (true) {
    while (const auto frame = read_client_frame(m_in)) {
      m_in.erase(0, frame->size);
      if (!text.empty() && frame->payload.find(text) != std::string::npos) return frame->payload;
    }
    const auto left = std::chrono::ceil<milliseconds>(until - Clock::now()).count();
    pollfd wait{m_socket.get(), POLLIN, 0};
    if (left <= 0 || ::poll(&wait, 1, static_cast<int>(left)) <= 0) return {};
    std::array<char, 65'536> bytes{};
    const ssize_t count = ::read(m_socket.get(), bytes.data(), bytes.size());
    if (count <= 0) return {};
    m_in.append(bytes.data(), static_cast<std::size_t>(count));
  }
}

std::size_t TalkProbe::recorded() const {
  std::error_code failed;
  return static_cast<std::size_t>(std::filesystem::file_size(m_options.recording, failed)) / 2;
}

std::vector<std::int16_t> TalkProbe::recording_from(std::size_t sample) const {
  std::vector<std::int16_t> samples(recorded() - sample);
  std::ifstream file(m_options.recording, std::ios::binary);
  file.seekg(static_cast<std::streamoff>(sample * 2));
  file.read(reinterpret_cast<char*>(samples.data()),
            static_cast<std::streamsize>(samples.size() * 2));
  return samples;
}

Result<BargeIn> TalkProbe::barge_in(milliseconds heard_for) {
  const double per_ms = m_options.rate / 1000.0;
  ++m_answers;
  const auto answer = test_noise(
      static_cast<std::size_t>(m_options.rate * k_answer_length / std::chrono::seconds(1)),
      m_answers);
  const std::size_t before = recorded();
  say_answer(answer);
  (void)wait_for("", heard_for);
  const std::size_t at_event = recorded();
  const auto event = Clock::now();
  say(R"({"type":"input_audio_buffer.speech_started","item_id":"u1","audio_start_ms":0})");
  const std::string told = wait_for("conversation.item.truncate", k_probe_patience);
  const std::chrono::duration<double, std::milli> took = Clock::now() - event;
  say(fmt::format(R"({{"type":"response.done","response":{{"id":"r{}","status":"cancelled"}}}})",
                  m_answers));
  say(R"({"type":"input_audio_buffer.speech_stopped","item_id":"u1","audio_end_ms":1})");
  // Time for remaining audio, and for the echo canceller to adapt to silence.
  (void)wait_for("", milliseconds(500));
  if (told.empty()) return probe_failed("does not report how much was heard");
  const auto samples = recording_from(before);
  const auto loud = [](std::int16_t one) { return one != 0; };
  const auto first = std::ranges::find_if(samples, loud);
  const auto last = std::find_if(samples.rbegin(), samples.rend(), loud).base();
  if (first == samples.end()) return probe_failed("plays nothing");
  const auto length = static_cast<std::size_t>(last - first);
  // The numbers are valid only if the played audio is the complete start of the answer.
  const auto begin = std::ranges::find_if(answer, loud);
  if (static_cast<std::size_t>(answer.end() - begin) < length || !std::equal(first, last, begin)) {
    return probe_failed("plays something other than the answer");
  }
  const std::string_view name = "\"audio_end_ms\":";
  const std::size_t at = told.find(name);
  BargeIn result;
  result.begin = static_cast<double>(first - samples.begin()) / per_ms;
  result.silence = (static_cast<double>(before + static_cast<std::size_t>(last - samples.begin())) -
                    static_cast<double>(at_event)) /
                   per_ms;
  result.told = took.count();
  result.heard =
      static_cast<double>(length + static_cast<std::size_t>(begin - answer.begin())) / per_ms;
  result.said =
      at == std::string::npos ? -1 : std::strtod(told.c_str() + at + name.size(), nullptr);
  return result;
}

Result<void> TalkProbe::answer(milliseconds length) {
  ++m_answers;
  say_answer(
      test_noise(static_cast<std::size_t>(m_options.rate * length.count() / 1000), m_answers, 0.1));
  say(fmt::format(
      R"({{"type":"response.output_audio.done","response_id":"r{0}","item_id":"a{0}"}})",
      m_answers));
  say(fmt::format(R"({{"type":"response.done","response":{{"id":"r{}","status":"completed"}}}})",
                  m_answers));
  (void)wait_for("", length);
  return m_in.size() < (1U << 20U) ? Result<void>() : probe_failed("sends no complete frames");
}

ProcessUse process_use(pid_t pid) {
  ProcessUse use;
  const std::string place = "/proc/" + std::to_string(pid);
  std::ostringstream text;
  text << std::ifstream(place + "/stat").rdbuf();
  const std::string stat = text.str();
  std::istringstream rest(stat.substr(std::min(stat.size(), stat.rfind(')') + 1)));
  std::string word;
  for (int i = 0; i < 11 && rest >> word; ++i) {
  }
  double user = 0;
  double system = 0;
  rest >> user >> system;
  use.cpu_seconds = (user + system) / static_cast<double>(::sysconf(_SC_CLK_TCK));
  std::ifstream status(place + "/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmHWM:")) use.peak_bytes = std::strtoull(line.c_str() + 6, nullptr, 10);
  }
  use.peak_bytes *= 1024;
  return use;
}

std::string TalkProbe::end() {
  ::kill(m_svc->pid(), SIGINT);
  (void)wait_for("", milliseconds(300));
  m_socket.reset();
  (void)m_svc->stop();
  std::ostringstream text;
  text << std::ifstream(m_options.directory + "/probe.err").rdbuf();
  return text.str();
}

}  // namespace svc::test
