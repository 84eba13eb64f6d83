// Processes batches over time, with one worker for a state, even if several emulators share it.
#pragma once

#include <condition_variable>
#include <list>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/files.h"
#include "emulator/api/batches/store.h"
#include "emulator/handler/handler.h"
#include "emulator/state/state.h"

namespace svc::emulator::batches {

/// The origin of calls made for batch requests, which have no connection.
struct Origin {
  std::string host{"127.0.0.1"};  ///< the emulator's host, for URLs in results
  bool tls = false;
  std::string scope{};  ///< the test that the state belongs to; empty: none
};

/// Does the work that is due: loads files, performs requests, records their outcomes, and uploads
/// videos requested with output.upload_url. If the program exits in between, nothing is lost or
/// counted twice: unrecorded work is repeated. Only one thread may use it at a time.
class BatchProcessor {
 public:
  /// `state` must outlive it. Requests whose operation is not among `routes` fail.
  BatchProcessor(State& state, const std::vector<Route>& routes, Origin origin);

  /// Performs one step of bounded length; returns true if there was anything to do.
  [[nodiscard]] Result<bool> step();

  /// Calls the request's operation, or asks for the result of its job. Never throws.
  [[nodiscard]] Outcome execute(const DueRequest& request) const;

 private:
  [[nodiscard]] Response call(const std::string& method, const std::string& path,
                              const DueRequest& request) const;
  [[nodiscard]] Outcome poll(const DueRequest& request) const;
  [[nodiscard]] Result<bool> load_file();
  [[nodiscard]] Result<bool> execute_due();

  State& m_state;
  Origin m_origin;
  std::map<std::string, Handler> m_handlers{};  ///< by method and path
};

/// `routes` must outlive it. A thread that calls BatchProcessor::step() for its lifetime, while it
/// holds the lock file: of several emulators on one state, only one works. If an emulator is
/// killed, its lock is released at once.
class Worker {
 public:
  /// `lock_file` is empty if no other process uses this state. `state` must outlive the worker.
  Worker(State& state, const std::vector<Route>& routes, Origin origin, std::string lock_file);
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  ~Worker();

  /// Works on a test's state as well, while the test uses it. `state` must outlive the worker.
  void add(State& state, Origin origin);

 private:
  struct Extra {
    State& state;
    BatchProcessor processor;
    bool busy = false;
  };

  void run();
  [[nodiscard]] bool acquire_lock();
  [[nodiscard]] bool step_extras();

  const std::vector<Route>& m_routes;
  BatchProcessor m_processor;
  std::string m_lock_file;
  std::optional<FileLock> m_lock{};  ///< used by the thread only
  std::mutex m_mutex{};              ///< protects m_stopped and adding to m_extras
  std::list<Extra> m_extras{};
  std::condition_variable m_wake{};
  bool m_stopped = false;
  std::thread m_thread;  ///< last: it uses all of the above
};

}  // namespace svc::emulator::batches
