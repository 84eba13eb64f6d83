// State shared by a fault server's connections: the script's progress and the records.
#include <algorithm>

#include "base/text.h"
#include "support/fault_connection.h"

namespace svc::test {

std::optional<std::string> RecordedRequest::header(std::string_view name) const {
  for (const Header& each : headers) {
    if (equals_ignore_case(each.name, name)) return each.value;
  }
  return std::nullopt;
}

FaultState::FaultState(Script script, std::uint64_t keep_body_bytes)
    : m_script(std::move(script)),
      m_next(m_script.connections.size(), 0),
      m_keep_body_bytes(keep_body_bytes) {}

std::optional<ExchangeScript> FaultState::take_from(std::size_t index) {
  if (index >= m_script.connections.size()) return std::nullopt;
  const auto& exchanges = m_script.connections[index].exchanges;
  if (m_next[index] >= exchanges.size()) return std::nullopt;
  return exchanges[m_next[index]++];
}

std::optional<ExchangeScript> FaultState::take_unasked(int number) {
  const std::lock_guard lock(m_mutex);
  const std::size_t own = static_cast<std::size_t>(number) - 1;
  if (own >= m_script.connections.size()) return std::nullopt;
  const ExchangeScript& steps = m_script.connections[own].exchanges.front();
  const bool reads = !steps.empty() &&
                     (steps[0].kind == Step::Kind::Read || steps[0].kind == Step::Kind::ReadHead ||
                      steps[0].kind == Step::Kind::ReadCount);
  return reads ? std::nullopt : take_from(own);
}

std::optional<ExchangeScript> FaultState::take(int number) {
  const std::lock_guard lock(m_mutex);
  const std::size_t own = static_cast<std::size_t>(number) - 1;
  if (auto steps = take_from(own)) return steps;
  for (std::size_t index = 0; index < std::min(own, m_script.connections.size()); ++index) {
    if (auto steps = take_from(index)) return steps;
  }
  if (!m_script.loop) return std::nullopt;
  return m_script.connections.back().exchanges.back();
}

int FaultState::open_connection() {
  const std::lock_guard lock(m_mutex);
  m_connections.emplace_back();
  return static_cast<int>(m_connections.size());
}

void FaultState::update(int number, const ConnectionRecord& record) {
  const std::lock_guard lock(m_mutex);
  m_connections[static_cast<std::size_t>(number) - 1] = record;
  m_changed.notify_all();
}

std::size_t FaultState::add_request(RecordedRequest request) {
  const std::lock_guard lock(m_mutex);
  request.at = std::chrono::duration_cast<std::chrono::milliseconds>(
      std::chrono::steady_clock::now() - m_began);
  m_requests.push_back(std::move(request));
  m_changed.notify_all();
  return m_requests.size() - 1;
}

void FaultState::add_body(std::size_t request, std::string_view bytes) {
  const std::lock_guard lock(m_mutex);
  RecordedRequest& record = m_requests[request];
  record.body_size += bytes.size();
  const std::uint64_t room =
      m_keep_body_bytes - std::min<std::uint64_t>(m_keep_body_bytes, record.body.size());
  record.body += bytes.substr(0, std::min<std::uint64_t>(room, bytes.size()));
}

std::vector<RecordedRequest> FaultState::requests() const {
  const std::lock_guard lock(m_mutex);
  return m_requests;
}

std::vector<ConnectionRecord> FaultState::connections() const {
  const std::lock_guard lock(m_mutex);
  return m_connections;
}

bool FaultState::wait_for_requests(std::size_t count, std::chrono::milliseconds limit) const {
  std::unique_lock lock(m_mutex);
  return m_changed.wait_for(lock, limit, [&] { return m_requests.size() >= count; });
}

bool FaultState::wait_until_closed(std::chrono::milliseconds limit) const {
  std::unique_lock lock(m_mutex);
  return m_changed.wait_for(lock, limit, [&] {
    return std::all_of(m_connections.begin(), m_connections.end(),
                       [](const ConnectionRecord& each) { return each.closed; });
  });
}

}  // namespace svc::test
