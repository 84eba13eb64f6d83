#include "emulator/control/request_log.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "emulator/handler/http_call.h"

namespace svc::emulator {
namespace {

constexpr std::size_t k_capacity = 1000;
constexpr std::size_t k_max_body = 64'000;
// The WebSocket subprotocol can carry a client secret.
constexpr std::array<sv, 4> k_secret_headers = {"authorization", "proxy-authorization", "cookie",
                                                "sec-websocket-protocol"};

bool is_secret(const Header& header) {
  return std::ranges::any_of(k_secret_headers,
                             [&](sv name) { return equals_ignore_case(header.name, name); });
}

}  // namespace

std::uint64_t RequestLog::add(const HttpCall& call, std::int64_t now_ms) {
  LoggedRequest entry;
  entry.time_ms = now_ms;
  entry.method = call.method;
  entry.target = call.target;
  std::ranges::remove_copy_if(call.headers, std::back_inserter(entry.headers), is_secret);
  entry.body = call.body.substr(0, k_max_body);
  entry.body_bytes = call.body.size();
  if (call.body_file) {
    entry.body.resize(k_max_body);
    entry.body.resize(call.body_file->read(0, entry.body));
    entry.body_bytes = call.body_file->size();
  }
  const std::lock_guard lock(m_mutex);
  entry.number = ++m_last;
  m_requests.push_back(std::move(entry));
  if (m_requests.size() > k_capacity) m_requests.pop_front();
  return m_last;
}

LoggedRequest* RequestLog::find(std::uint64_t number) {
  if (m_requests.empty() || number < m_requests.front().number || number > m_last) return nullptr;
  return &m_requests[number - m_requests.front().number];
}

void RequestLog::set_status(std::uint64_t number, int status) {
  const std::lock_guard lock(m_mutex);
  if (LoggedRequest* entry = find(number)) entry->status = status;
}

void RequestLog::add_message(std::uint64_t number, std::string_view message, bool is_text) {
  const std::lock_guard lock(m_mutex);
  LoggedRequest* entry = find(number);
  if (entry == nullptr) return;
  ++entry->messages;
  if (!is_text) {
    entry->binary_bytes += message.size();
    return;
  }
  entry->body_bytes += message.size() + 1;
  const std::size_t room = k_max_body - std::min(entry->body.size(), k_max_body);
  entry->body += message.substr(0, room);
  if (room > message.size()) entry->body += '\n';
}

std::vector<LoggedRequest> RequestLog::since(std::uint64_t number) const {
  const std::lock_guard lock(m_mutex);
  const auto first = std::ranges::upper_bound(m_requests, number, {}, &LoggedRequest::number);
  return {first, m_requests.end()};
}

void RequestLog::clear() {
  const std::lock_guard lock(m_mutex);
  m_requests.clear();
}

std::uint64_t RequestLog::last() const {
  const std::lock_guard lock(m_mutex);
  return m_last;
}

}  // namespace svc::emulator
