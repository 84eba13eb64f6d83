#include "emulator/server/crew.h"

#include <utility>

namespace svc::emulator {

void Crew::run(std::function<void()> job) {
  const std::lock_guard lock(m_mutex);
  if (m_stopped) return;
  m_jobs.push_back(std::move(job));
  if (m_jobs.size() > m_idle && m_threads.size() < m_max_threads) {
    m_threads.emplace_back([this] { work(); });
  }
  m_changed.notify_one();
}

void Crew::stop() {
  std::deque<std::function<void()>> dropped;  // what it holds may take locks as it goes
  std::vector<std::thread> threads;
  {
    const std::lock_guard lock(m_mutex);
    m_stopped = true;
    dropped.swap(m_jobs);
    threads.swap(m_threads);
    m_changed.notify_all();
  }
  for (auto& thread : threads) thread.join();
}

void Crew::work() {
  std::unique_lock lock(m_mutex);
  while (!m_stopped) {
    if (m_jobs.empty()) {
      ++m_idle;
      m_changed.wait(lock);
      --m_idle;
      continue;
    }
    std::function<void()> job = std::move(m_jobs.front());
    m_jobs.pop_front();
    lock.unlock();
    job();
    job = nullptr;
    lock.lock();
  }
}

}  // namespace svc::emulator
