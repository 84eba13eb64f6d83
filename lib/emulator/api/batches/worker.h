// Works batches off over time, with one worker for a state, however many emulators share it.
#pragma once

#include <condition_variable>
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

/// What the requests' own calls look like: they come from nowhere.
struct Origin {
  std::string host{"127.0.0.1"};  ///< where the emulator is reached, for the URLs in results
  bool tls = false;
};

/// Safe for one thread at a time.
class Performer {
 public:
  /// `state` must outlive it. Requests whose operation is not among `routes` fail.
  Performer(State& state, const std::vector<Route>& routes, Origin origin);

  /// Never throws.
  [[nodiscard]] Outcome perform(const DueRequest& request) const;

 private:
  [[nodiscard]] Answer call(const std::string& method, const std::string& path,
                            const std::string& body, const DueRequest& request,
                            std::map<std::string, std::string> params) const;
  [[nodiscard]] Outcome poll(const DueRequest& request, const std::string& job) const;

  State& m_state;
  Origin m_origin;
  std::map<std::string, Handler> m_handlers{};  ///< by method and path
};

/// Does what is due now: loads files, performs requests, notes what became of them; uploads videos
/// that were asked for with output.upload_url. Nothing is lost or counted twice when the program
/// ends in the middle: what was not noted is done again.
class Shift {
 public:
  /// `state` must outlive it.
  Shift(State& state, const std::vector<Route>& routes, Origin origin);

  /// One step, of bounded length; true when there was something to do.
  [[nodiscard]] Result<bool> step();

 private:
  [[nodiscard]] Result<bool> load_file();
  [[nodiscard]] Result<bool> perform_due();

  State& m_state;
  Performer m_performer;
};

/// A thread that calls Shift::step() from its creation to its destruction, while it holds the lock
/// file: of several emulators on one state, one works. The lock of one that is killed is free at
/// once.
class Worker {
 public:
  /// `lock_file` may be empty: nobody else has this state. `state` must outlive the worker.
  Worker(State& state, const std::vector<Route>& routes, Origin origin, std::string lock_file);
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  ~Worker();

 private:
  void run();
  [[nodiscard]] bool hold_lock();

  Shift m_shift;
  std::string m_lock_file;
  std::optional<FileLock> m_lock{};  ///< of the thread alone
  std::mutex m_mutex{};              ///< over m_stopped
  std::condition_variable m_wake{};
  bool m_stopped = false;
  std::thread m_thread;  ///< last: it uses everything above
};

}  // namespace svc::emulator::batches
