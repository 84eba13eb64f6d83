// The pauses between looks at remote work: --poll-interval, --wait-timeout, Ctrl-C, progress.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "base/result.h"
#include "session.h"

namespace svc::cli {

/// Ends the waiting, never the work. `resume` is the command that waits again, for hints.
class Waiter {
 public:
  /// `label` is what the progress line says. Pauses grow from `first` to `most`, unless
  /// --poll-interval sets one.
  Waiter(Session& session, const std::string& label, std::string resume,
         std::chrono::milliseconds first, std::chrono::milliseconds most);

  /// Waits until the next look is due. Timeout when --wait-timeout has passed; Interrupted or
  /// Terminated when asked to end. Both say how to go on.
  [[nodiscard]] Result<void> pause();

  /// `error` with the hint how to go on, where that is of use.
  [[nodiscard]] Error explain(Error error) const;

  void finish() { m_session.progress().finish(); }

 private:
  using Clock = std::chrono::steady_clock;

  Session& m_session;
  std::string m_resume;
  std::chrono::milliseconds m_pause;
  std::chrono::milliseconds m_most;
  std::optional<std::chrono::milliseconds> m_limit;
  Clock::time_point m_begin = Clock::now();
};

}  // namespace svc::cli
