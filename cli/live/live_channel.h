// A conversation with the service over one connection or, when one is lost, several.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "live/async_connect.h"
#include "session/session.h"
#include "terminal/signals.h"
#include "websocket/channel.h"

namespace svc::cli {

struct LivePlan {
  websocket::OpenRequest request{};  ///< whole: address, query, key
  websocket::ChannelOptions channel{};
  std::string what{};  ///< that the service may end: "the session"
  int retries = 8;     ///< attempts to bring a lost connection back
};

class LiveChannel {
 public:
  using Clock = websocket::Channel::Clock;

  LiveChannel(Session& session, LivePlan plan) : m_session(session), m_plan(std::move(plan)) {}

  /// The first connection; from here on a Ctrl-C asks for the end in good order.
  [[nodiscard]] Result<void> open();
  /// What connections after this one ask for.
  [[nodiscard]] websocket::OpenRequest& request() noexcept { return m_plan.request; }

  [[nodiscard]] bool connected() const noexcept { return m_channel != nullptr; }
  /// False when there is no connection, or it takes no more for now.
  [[nodiscard]] bool send(websocket::Message message);

  /// Waits as Channel::receive() does, for what is due here too.
  [[nodiscard]] Result<websocket::Received> wait(std::optional<Clock::time_point> until,
                                                 std::vector<int> others);

  /// Another connection is tried after a pause that grows; `error`, with how often that was done,
  /// when it was done often enough.
  [[nodiscard]] Result<void> lose(Error error);
  /// The first loss since a connection worked.
  [[nodiscard]] bool first_loss() const noexcept { return m_attempts == 0; }
  /// Another connection, now: the user asked for it, or the request has changed.
  void renew();
  /// What is due: an attempt begins, or is over. True when there is a new connection.
  [[nodiscard]] Result<bool> advance();
  /// The connection works; true when it is not the first one.
  bool works() noexcept;
  /// Another attempt than the first one goes on.
  [[nodiscard]] bool retries() const noexcept { return m_attempts > 0; }

  /// The service said that something is wrong, which may be about to end the connection when it
  /// `ends`.
  void blame(std::string text, std::string type, bool ends);
  /// Tells it, once it has not ended the connection; at once with `all`.
  void tell_blame(const std::function<void(const std::string&)>& warn, bool all = false);
  /// Why the connection ended; the type of what the service had said, or "".
  struct End {
    Error error{};
    std::string type{};
    bool said = false;
  };
  [[nodiscard]] End take_end(const websocket::Close& close);

  /// The user asked for the end by a signal.
  [[nodiscard]] bool interrupted() const { return m_finish && m_finish->requested().has_value(); }
  /// From now on the end is awaited for so long.
  void end_within(Clock::duration time);
  [[nodiscard]] bool ending() const noexcept { return m_end.has_value(); }
  [[nodiscard]] bool overdue() const { return m_end && Clock::now() >= *m_end; }

  /// Closes what there is: `whole` when all was said.
  void close(bool whole);

 private:
  Session& m_session;
  LivePlan m_plan;
  std::optional<FinishOnInterrupt> m_finish{};
  std::unique_ptr<websocket::Channel> m_channel{};
  std::optional<AsyncConnect> m_connector{};
  int m_attempts = 0;  ///< since a connection worked
  Clock::time_point m_retry{};
  std::string m_blame{};
  std::string m_blame_type{};
  bool m_blame_ends = false;
  Clock::time_point m_blamed{};
  std::optional<Clock::time_point> m_end{};
};

}  // namespace svc::cli
