// Works batches off over time, with one worker for a state, however many emulators share it.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/files.h"
#include "emulator/api/batches/perform.h"
#include "emulator/state/state.h"

namespace svc::emulator::batches {

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
