// Threads for work that takes its time, so that those which serve connections need not wait.
#pragma once

#include <functional>
#include <mutex>
#include <optional>
#include <utility>

#include <boost/asio/post.hpp>
#include <boost/asio/thread_pool.hpp>

namespace svc::emulator {

/// Starts its threads when there is work for them. Owned by the server; stop() ends the threads.
class Crew {
 public:
  Crew() = default;
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;
  ~Crew() { stop(); }

  /// Runs `job` on one of the threads, in the order given when all are busy. From any thread;
  /// after stop() it is dropped. It must not throw.
  void run(std::function<void()> job) {
    const std::lock_guard lock(m_mutex);
    if (m_stopped) return;
    if (!m_pool) m_pool.emplace(k_threads);
    boost::asio::post(*m_pool, std::move(job));
  }

  /// Drops what has not begun, waits for what has, and ends the threads.
  void stop() {
    {
      const std::lock_guard lock(m_mutex);
      m_stopped = true;
    }
    if (!m_pool) return;
    m_pool->stop();
    m_pool->join();
    m_pool.reset();
  }

 private:
  static constexpr std::size_t k_threads = 6;
  std::mutex m_mutex{};  ///< over the next two, until stop()
  std::optional<boost::asio::thread_pool> m_pool{};
  bool m_stopped = false;
};

}  // namespace svc::emulator
