// The pauses between looks at remote work: --poll-interval, --wait-timeout, Ctrl-C, progress.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include "base/result.h"
#include "session/session.h"

namespace svc::cli {

/// What is waited for, in the words of the errors.
struct Waiting {
  std::string not_ready{};                 ///< "job_1 was not ready", for "… within 5 s"
  std::string resume{};                    ///< the sentence that says how to go on
  std::chrono::milliseconds first{1'000};  ///< the first pause
  std::chrono::milliseconds most{
      10'000};  ///< the longest; pauses grow, unless --poll-interval is set
  /// The waiting ends after so long unless --wait-timeout says otherwise; nothing: never by itself.
  std::optional<std::chrono::milliseconds> usual_limit{};
};

/// Ends the waiting, never the work. The caller starts the progress line.
class Waiter {
 public:
  Waiter(Session& session, Waiting waiting);

  /// Waits until the next look is due. Timeout when --wait-timeout has passed; Interrupted or
  /// Terminated when asked to end. Both say how to go on.
  [[nodiscard]] Result<void> pause();

  /// `error` with the hint how to go on, where that is of use. Takes the progress line away.
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

/// --wait of an operation that shows how far something is: sends the invocation's request again and
/// again until `is_over` says so of its answer, which is printed then, and of RemoteJob too.
[[nodiscard]] Result<void> call_until(
    Session& session, sv label, Waiting waiting,
    const std::function<Result<bool>(const std::string& answer)>& is_over);

/// Lets `time` go by while the progress line moves on; the stop's fault when it asks before.
[[nodiscard]] Result<void> pause_with_progress(Session& session, std::chrono::milliseconds time);

}  // namespace svc::cli
