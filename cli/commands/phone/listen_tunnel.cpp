// The program of `svc phone listen --tunnel`.
#include <algorithm>
#include <functional>

#include <fmt/format.h>

#include "base/text.h"
#include "commands/phone/listen.h"
#include "http/url.h"

namespace svc::cli {
namespace {

constexpr std::size_t k_most_urls = 20;  ///< of one program: more are its chatter
constexpr std::size_t k_longest_url = 300;

/// The addresses in a line, without what a sentence or a frame puts around them.
std::vector<std::string> urls_in(sv line) {
  std::vector<std::string> found;
  for (std::size_t at = 0; at < line.size();) {
    const std::size_t begin = std::min(line.find("http://", at), line.find("https://", at));
    if (begin == sv::npos) break;
    std::size_t end = begin;
    while (end < line.size() && line[end] > ' ' && line[end] < '\x7f' &&
           sv("\"'<>|\\`").find(line[end]) == sv::npos) {
      ++end;
    }
    at = end;
    sv url = line.substr(begin, end - begin);
    while (!url.empty() && sv(".,;:)]}").find(url.back()) != sv::npos) url.remove_suffix(1);
    if (url.size() <= k_longest_url) found.emplace_back(url);
  }
  return found;
}

}  // namespace

Tunnel::Tunnel(const std::string& command, std::uint16_t port, std::string path, ListenQueue& queue)
    : m_path(std::move(path)), m_queue(queue) {
  ProgramRun run{
      .arguments = {"/bin/sh", "-c", replace_all(command, "{port}", std::to_string(port))},
      .output = ProgramOutput::All,
  };
  m_thread = std::thread([this, run = std::move(run)]() mutable {
    LineCutter lines([this](std::string line) { read(std::move(line)); });
    run.take = std::ref(lines);
    const auto end = run_program(run, m_cancel);
    lines.finish();
    if (m_cancel.requested()) return;
    std::string how = end ? describe(*end, run.limit) : end.error().message;
    if (!m_last.empty()) how += fmt::format(": {}", shown(m_last, 200));
    m_queue.put_when_room(
        {ListenEvent::Kind::Failed, fmt::format("the tunnel program ended ({})", how)});
  });
}

Tunnel::~Tunnel() {
  m_cancel.cancel();
  m_thread.join();
}

void Tunnel::read(std::string line) {
  for (const std::string& text : urls_in(line)) {
    const auto url = http::parse_url(text);
    if (!url || http::is_loopback_host(url->host) || url->host == "0.0.0.0" ||
        m_seen.size() >= k_most_urls || std::ranges::find(m_seen, text) != m_seen.end()) {
      continue;
    }
    m_seen.push_back(text);
    // A tunnel's own address has no path; what has one is where its program explains itself.
    const bool bare = url->path.empty() || url->path == "/";
    const std::string there = text.ends_with('/') ? text.substr(0, text.size() - 1) : text;
    m_queue.put_when_room({ListenEvent::Kind::Note,
                           bare ? fmt::format("deliveries arrive through {}{}", there, m_path)
                                : fmt::format("the tunnel program printed {}", text)});
  }
  if (!trim(line).empty()) m_last = std::move(line);
}

}  // namespace svc::cli
