// The programs that `svc phone listen` runs for events.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/cancel_token.h"
#include "base/program.h"
#include "base/result.h"
#include "commands/phone/listen_parts.h"
#include "session/session.h"

namespace svc::cli {

/// Splits a program's output into lines; lines longer than 4 MB are split.
class LineCutter {
 public:
  explicit LineCutter(std::function<void(std::string)> line) : m_line(std::move(line)) {}
  void operator()(sv bytes);
  /// Emits the remaining text as a line.
  void finish();

 private:
  std::function<void(std::string)> m_line;
  std::string m_rest{};
};

/// Runs a program for each event: the user's, or svc itself to answer the call. At most --exec-jobs
/// run concurrently; the others are queued.
class ListenPrograms {
 public:
  /// Output and exits are reported to `queue`, which must outlive this object.
  ListenPrograms(Session& session, ListenQueue& queue);
  ListenPrograms(const ListenPrograms&) = delete;
  ListenPrograms& operator=(const ListenPrograms&) = delete;
  /// Kills running programs and discards queued ones.
  ~ListenPrograms();

  /// Starts what the invocation runs for an event, if anything.
  void start(const std::string& event);
  /// The number of running and queued programs.
  [[nodiscard]] std::size_t count() const;
  /// Becomes readable when a program has exited.
  [[nodiscard]] int descriptor() const noexcept { return m_wake.descriptor(); }
  void quiet() noexcept { m_wake.clear(); }

 private:
  struct Job {
    std::string name{};  ///< for the report of how it exited
    ProgramOptions run{};
  };
  [[nodiscard]] ProgramOptions own_program(const std::string& program,
                                           const std::string& event) const;
  [[nodiscard]] ProgramOptions answering(const std::string& call);
  void work();
  void run(const Job& job);

  Session& m_session;
  ListenQueue& m_queue;
  CancelSource m_cancel{};
  Event m_wake{};
  mutable std::mutex m_mutex{};
  std::condition_variable m_changed{};
  std::deque<Job> m_waiting{};           ///< guarded by the mutex
  std::size_t m_running = 0;             ///< guarded by the mutex
  bool m_over = false;                   ///< guarded by the mutex
  std::vector<std::thread> m_threads{};  ///< run the programs; joined by the destructor
};

/// Checks the flags for answering. Usage if they are set without --answer; with it, the URL and the
/// key are checked before the first call arrives.
[[nodiscard]] Result<void> check_answering(Session& session);

/// A positive integer; `usual` if there is none.
[[nodiscard]] std::uint64_t listen_number(std::optional<std::int64_t> given, std::uint64_t usual);

}  // namespace svc::cli
