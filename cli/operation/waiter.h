// Delays between checks of remote jobs: --poll-interval, --wait-timeout, Ctrl-C, progress.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include "base/result.h"
#include "session/session.h"

namespace svc::cli {

/// Describes the job in errors.
struct Waiting {
  std::string timed_out{};                 ///< "job_1 was not ready", as in "… within 5 s"
  std::string resume{};                    ///< the hint on how to resume
  std::chrono::milliseconds first{1'000};  ///< the first delay
  std::chrono::milliseconds most{
      10'000};  ///< the longest delay; delays grow, unless --poll-interval is set
  /// Time limit if --wait-timeout is not set; nothing: unlimited.
  std::optional<std::chrono::milliseconds> usual_limit{};
};

/// Stops waiting without stopping the job. The caller starts the progress line.
class Waiter {
 public:
  Waiter(Session& session, Waiting waiting);

  /// Waits until the next check is due. Returns Timeout when --wait-timeout has passed, Interrupted
  /// or Terminated if cancelled; both with a hint on how to resume.
  [[nodiscard]] Result<void> pause();

  /// Adds the hint on how to resume to `error`, if useful. Clears the progress line.
  [[nodiscard]] Error explain(Error error) const;

 private:
  using Clock = std::chrono::steady_clock;

  Session& m_session;
  Waiting m_waiting;
  bool m_grows = true;
  std::chrono::milliseconds m_pause{};
  std::optional<std::chrono::milliseconds> m_limit{};
  Clock::time_point m_begin = Clock::now();
};

/// Implements --wait of an operation that reports progress: repeats the invocation's request until
/// `is_over` returns true or RemoteJob for a response, then prints that response.
[[nodiscard]] Result<void> call_until(
    Session& session, sv label, Waiting waiting,
    const std::function<Result<bool>(const std::string& answer)>& is_over);

/// Waits for `time` while updating the progress line; returns the token's fault if cancelled.
[[nodiscard]] Result<void> pause_with_progress(Session& session, std::chrono::milliseconds time);

}  // namespace svc::cli
