// Threads for work that takes its time, so that those which serve connections need not wait.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace svc::emulator {

/// Starts its threads when there is work for them. Owned by the server; stop() ends the threads.
class Crew {
 public:
  explicit Crew(std::size_t max_threads = 6) : m_max_threads(max_threads) {}
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;
  ~Crew() { stop(); }

  /// Runs `job` on one of the threads, in the order given when all are busy. From any thread;
  /// after stop() it is dropped. It must not throw.
  void run(std::function<void()> job);

  /// Drops what has not begun, waits for what has, and ends the threads.
  void stop();

 private:
  void work();

  std::mutex m_mutex{};  ///< over the next four
  std::condition_variable m_changed{};
  std::deque<std::function<void()>> m_jobs{};
  std::vector<std::thread> m_threads{};  ///< each runs work() until stop()
  std::size_t m_idle = 0;
  bool m_stopped = false;
  std::size_t m_max_threads;
};

}  // namespace svc::emulator
