#include <cstdint>

#include <fmt/format.h>

#include "base/text.h"
#include "client/credentials.h"
#include "commands/phone/listen.h"
#include "session/secret_value.h"

namespace svc::cli {
namespace {

constexpr std::size_t k_longest_queue = 1'000;

std::vector<std::string> secret_lines(const std::string& text) {
  std::vector<std::string> lines;
  for (const sv line : split(text, '\n')) {
    if (!trim(line).empty()) lines.emplace_back(trim(line));
  }
  return lines;
}

/// From the flags, the environment or the profile; empty when nobody has one.
Result<std::vector<std::string>> find_secrets(Session& session) {
  SVC_TRY(given, secret_flags(session, "secret"));
  if (!given.empty()) return std::move(given);
  if (const auto value = session.environment()("SVC_WEBHOOK_SECRET"); value && !value->empty()) {
    return secret_lines(*value);
  }
  const Setting& setting = session.settings().webhook_secret_file;
  if (!setting.is_set()) return std::vector<std::string>();
  const auto path = secret_file_path(session.settings(), session.config(), setting.value);
  SVC_TRY(text, read_private_file(path.string()));
  return secret_lines(text);
}

}  // namespace

Result<webhook::Verifier> webhook_verifier(Session& session) {
  SVC_TRY(secrets, find_secrets(session));
  for (const std::string& secret : secrets) session.keep_secret(secret);
  if (secrets.empty()) {
    return Error{Fault::Auth, "the webhook's signing secret is not known",
                 "`svc phone create` gave it out: give it as --secret @FILE, set "
                 "SVC_WEBHOOK_SECRET, or run `svc config set webhook_secret_file FILE`."};
  }
  return webhook::Verifier::make(secrets);
}

bool ListenQueue::put(ListenEvent event) {
  {
    const std::lock_guard lock(m_mutex);
    // A delivery was promised its place by has_room().
    const bool promised = event.kind == ListenEvent::Kind::Delivery;
    if (!promised && m_events.size() >= k_longest_queue) return false;
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
  return m_events.size() < k_longest_queue;
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
    if (m_refusals.size() < k_longest_queue) {
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

ProgramPool::ProgramPool(std::size_t threads, Ended ended) : m_ended(std::move(ended)) {
  for (std::size_t i = 0; i < threads; ++i) m_threads.emplace_back([this] { work(); });
}

ProgramPool::~ProgramPool() {
  {
    const std::lock_guard lock(m_mutex);
    m_over = true;
    m_waiting.clear();
  }
  m_cancel.cancel();
  m_changed.notify_all();
  for (std::thread& thread : m_threads) thread.join();
}

void ProgramPool::start(Job job) {
  {
    const std::lock_guard lock(m_mutex);
    m_waiting.push_back(std::move(job));
  }
  m_changed.notify_one();
}

std::size_t ProgramPool::count() const {
  const std::lock_guard lock(m_mutex);
  return m_waiting.size() + m_running;
}

void ProgramPool::work() {
  while (true) {
    Job job;
    {
      std::unique_lock lock(m_mutex);
      m_changed.wait(lock, [this] { return m_over || !m_waiting.empty(); });
      if (m_over) return;
      job = std::move(m_waiting.front());
      m_waiting.pop_front();
      ++m_running;
    }
    m_ended(job, run_program(job.run, m_cancel));
    {
      const std::lock_guard lock(m_mutex);
      --m_running;
    }
    m_wake.signal();
  }
}

}  // namespace svc::cli
