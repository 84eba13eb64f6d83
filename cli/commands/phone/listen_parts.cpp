#include <algorithm>
#include <cctype>
#include <cstdint>
#include <functional>

#include <fmt/format.h>

#include "base/atomic_file.h"
#include "base/clock.h"
#include "base/files.h"
#include "base/text.h"
#include "catalogue/phone_fields.h"
#include "client/credentials.h"
#include "commands/phone/listen_programs.h"
#include "http/url.h"
#include "session/secret_value.h"

namespace svc::cli {
namespace {

using WebhookSecretFlags = Flags<catalogue::phone::k_secret_fields>;

constexpr std::size_t k_max_queue = 1'000;

std::vector<std::string> secret_lines(const std::string& text) {
  std::vector<std::string> lines;
  for (const sv line : split(text, '\n')) {
    if (!trim(line).empty()) lines.emplace_back(trim(line));
  }
  return lines;
}

/// The secrets from the flags, the environment or the profile; may be empty.
Result<std::vector<std::string>> find_secrets(Session& session) {
  SVC_TRY(given, read_secret_flags(session, WebhookSecretFlags(session.inputs()).get<"secret">()));
  if (!given.empty()) return std::move(given);
  if (const auto value = session.environment()("SVC_WEBHOOK_SECRET"); value && !value->empty()) {
    return secret_lines(*value);
  }
  const Setting& setting = session.settings().webhook_secret_file;
  if (!setting.is_set()) return std::vector<std::string>();
  SVC_TRY(text, read_secret_setting("webhook_secret_file", setting));
  return secret_lines(text);
}

/// Rejected deliveries can come from anyone, so at most this many are stored per run.
constexpr std::size_t k_max_refused = 1'000;

/// Makes an ID that the sender chose safe for a file name.
std::string name_of(sv id) {
  constexpr std::size_t k_longest = 60;
  std::string name(id.substr(0, k_longest));
  std::ranges::replace_if(
      name, [](unsigned char c) { return std::isalnum(c) == 0 && c != '-' && c != '_'; }, '_');
  return name.empty() ? "no-id" : name;
}

std::string one_line(std::string text) {
  std::ranges::replace_if(
      text, [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return text;
}

constexpr std::size_t k_max_urls = 20;  ///< per program; further URLs are ignored
constexpr std::size_t k_max_url = 300;

/// The URLs in a line, without surrounding punctuation or box-drawing characters.
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
    if (url.size() <= k_max_url) found.emplace_back(url);
  }
  return found;
}

}  // namespace

Result<webhook::Verifier> webhook_verifier(Session& session) {
  SVC_TRY(secrets, find_secrets(session));
  for (const std::string& secret : secrets) session.keep_secret(secret);
  if (secrets.empty()) {
    return Error{Fault::Auth, "no webhook signing secret given",
                 "`svc phone create` printed it: pass --secret @FILE, set "
                 "SVC_WEBHOOK_SECRET, or run `svc config set webhook_secret_file FILE`."};
  }
  return webhook::Verifier::make(secrets);
}

bool ListenQueue::put(ListenEvent event) {
  {
    const std::lock_guard lock(m_mutex);
    // has_room() has already reserved room for a delivery.
    const bool promised = event.kind == ListenEvent::Kind::Delivery;
    if (!promised && m_events.size() >= k_max_queue) return false;
    m_events.push_back(std::move(event));
  }
  wake();
  return true;
}

void ListenQueue::put_when_room(const ListenEvent& event) {
  while (!m_closed && !put(event)) std::this_thread::sleep_for(std::chrono::milliseconds(10));
}

bool ListenQueue::has_room() const {
  const std::lock_guard lock(m_mutex);
  return m_events.size() < k_max_queue;
}

std::optional<ListenEvent> ListenQueue::take() {
  const std::lock_guard lock(m_mutex);
  if (m_events.empty()) return std::nullopt;
  ListenEvent event = std::move(m_events.front());
  m_events.pop_front();
  return event;
}

void ListenQueue::refuse(std::string reason) {
  {
    const std::lock_guard lock(m_mutex);
    if (m_refusals.size() < k_max_queue) {
      m_refusals.push_back(std::move(reason));
    } else {
      ++m_uncounted;
    }
  }
  wake();
}

std::pair<std::vector<std::string>, std::size_t> ListenQueue::take_refusals(std::size_t most) {
  const std::lock_guard lock(m_mutex);
  const auto end =
      m_refusals.begin() + static_cast<std::ptrdiff_t>(std::min(most, m_refusals.size()));
  std::vector<std::string> taken(std::make_move_iterator(m_refusals.begin()),
                                 std::make_move_iterator(end));
  m_refusals.erase(m_refusals.begin(), end);
  return {std::move(taken), m_refusals.empty() ? std::exchange(m_uncounted, 0) : 0};
}

Result<DeliveryStore> DeliveryStore::open(const std::string& directory) {
  SVC_CHECK(make_private_directory(directory));
  return DeliveryStore(directory);
}

Result<void> DeliveryStore::save(const webhook::Delivery& delivery, std::int64_t received,
                                 const webhook::HttpReply& answer) {
  if (answer.status != 204 && ++m_refused > k_max_refused) return {};
  const std::string stem = fmt::format("{}/{}-{}", m_directory, received, name_of(delivery.id));
  SVC_TRY(file, AtomicFile::create(stem + std::string(k_delivery_ending), Replace::Yes, 0600,
                                   Links::Refuse));
  for (const auto& header : webhook::k_delivery_headers) {
    SVC_CHECK(file.write(fmt::format("{}: {}\n", header.name, one_line(delivery.*header.value))));
  }
  SVC_CHECK(file.write(fmt::format("received: {}\nanswered: {}{}{}\n\n", format_rfc3339(received),
                                   answer.status, answer.reason.empty() ? "" : " ",
                                   one_line(answer.reason))));
  SVC_CHECK(file.write(delivery.body));
  SVC_TRY(name, file.commit_first_free([&](std::size_t number) {
    return number == 1 ? stem + std::string(k_delivery_ending)
                       : fmt::format("{}-{}{}", stem, number, k_delivery_ending);
  }));
  (void)name;
  return {};
}

Result<StoredDelivery> read_stored_delivery(const std::string& text) {
  StoredDelivery stored;
  bool received = false;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const sv line = sv(text).substr(at, end - at);
    at = end + 1;
    if (line.empty()) {
      stored.delivery.body = at < text.size() ? text.substr(at) : std::string();
      break;
    }
    const std::size_t colon = line.find(':');
    const sv name = line.substr(0, colon);
    const std::string value(colon == sv::npos ? sv() : trim(line.substr(colon + 1)));
    for (const auto& header : webhook::k_delivery_headers) {
      if (name == header.name) stored.delivery.*header.value = value;
    }
    if (name == "received") {
      const auto time = parse_rfc3339(value);
      received = time.has_value();
      stored.received = time.value_or(0);
    }
  }
  if (!received) {
    return usage_error("not a delivery saved by `svc phone listen --store`",
                       "Pass a raw body with --headers FILE instead.");
  }
  return stored;
}

Tunnel::Tunnel(const std::string& command, std::uint16_t port, std::string path, ListenQueue& queue)
    : m_path(std::move(path)), m_queue(queue) {
  ProgramOptions run{
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
    if (!m_last.empty()) how += fmt::format(": {}", shown_message(m_last));
    m_queue.put_when_room(
        {ListenEvent::Kind::Failed, fmt::format("the tunnel program exited ({})", how)});
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
        m_seen.size() >= k_max_urls || std::ranges::find(m_seen, text) != m_seen.end()) {
      continue;
    }
    m_seen.push_back(text);
    // A tunnel's public URL has no path; one with a path is usually documentation.
    const bool bare = url->path.empty() || url->path == "/";
    const std::string there = text.ends_with('/') ? text.substr(0, text.size() - 1) : text;
    m_queue.put_when_room({ListenEvent::Kind::Note,
                           bare ? fmt::format("deliveries arrive through {}{}", there, m_path)
                                : fmt::format("the tunnel program printed {}", text)});
  }
  if (!trim(line).empty()) m_last = std::move(line);
}

}  // namespace svc::cli
