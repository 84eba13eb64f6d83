// A live session with the service. A lost connection is replaced within the session.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/background.h"
#include "base/cancel_token.h"
#include "base/result.h"
#include "request/inputs.h"
#include "session/session.h"
#include "terminal/signals.h"
#include "websocket/open_channel.h"

namespace svc::cli {

struct LivePlan {
  /// A plan for a prepared request, with the session's settings. Starts the emulator if the profile
  /// uses it.
  [[nodiscard]] static Result<LivePlan> make(Session& session, const request::Request& request);

  websocket::OpenRequest request{};  ///< complete: URL, query and key
  websocket::ChannelOptions channel{};
  std::string what{};   ///< used in "the service ended …": "the session"
  std::string ready{};  ///< what the greeting confirms: "that the session is ready"
  std::chrono::milliseconds greeting{15'000};  ///< time limit for the greeting
  std::string meanwhile{};                     ///< what happens to the input while disconnected
  bool key = false;                            ///< the user can press r to reconnect
  int retries = 8;                             ///< maximum number of attempts to reconnect
};

class LiveChannel {
 public:
  using Clock = websocket::WebSocket::Clock;
  using Warn = std::function<void(const std::string& text)>;

  LiveChannel(Session& session, LivePlan plan, Warn warn)
      : m_session(session), m_plan(std::move(plan)), m_warn(std::move(warn)) {}

  /// Opens the first connection and calls `begin`; from then on, Ctrl-C requests an orderly close.
  /// Repeats `step` until it fails or `is_over` returns true, then closes the channel.
  [[nodiscard]] Result<void> run(const std::function<void()>& begin,
                                 const std::function<Result<void>()>& step,
                                 const std::function<bool()>& is_over);
  /// The request for later connections.
  [[nodiscard]] websocket::OpenRequest& request() noexcept { return m_plan.request; }

  /// Returns false if there is no connection or its queue is full.
  [[nodiscard]] bool send(websocket::Message message);

  /// Waits like WebSocket::receive(), and for timers and connection attempts as well.
  [[nodiscard]] Result<websocket::Received> wait(std::optional<Clock::time_point> until,
                                                 std::vector<int> others);

  enum class Change : std::uint8_t { None, Lost, Connected };
  /// Handles timers: starting or finishing a connection attempt, a late greeting, an error of the
  /// service that did not end the connection.
  [[nodiscard]] Result<Change> on_time();

  /// Schedules another connection attempt, with increasing delay. After the last attempt, returns
  /// `error` with the number of attempts.
  [[nodiscard]] Result<void> disconnect(Error error);
  /// Reconnects now: the user requested it, or the request has changed.
  void renew();
  /// Call when the greeting has arrived.
  void greeted() noexcept { m_greeted_by.reset(); }
  /// Call when the connection works; returns true if it is not the first one.
  bool works() noexcept;
  /// Whether a reconnection is in progress.
  [[nodiscard]] bool retries() const noexcept { return m_attempts > 0; }

  /// Records an error reported by the service; `ends`: it may end the connection.
  void record_error(std::string text, std::string type, bool ends);
  /// Prints it as a warning, unless it may still end the connection; `all`: in any case.
  void report_blame(bool all = false);
  /// Why the connection ended; `type` is that of the error the service reported, or "".
  struct End {
    Error error{};
    std::string type{};
    bool said = false;
  };
  [[nodiscard]] End take_end(const websocket::Close& close);

  /// Whether the user ended the session with a signal.
  [[nodiscard]] bool interrupted() const { return m_finish && m_finish->requested().has_value(); }
  /// Limits the time until the session must have ended.
  void stop_within(Clock::duration time);
  [[nodiscard]] bool ending() const noexcept { return m_end.has_value(); }
  [[nodiscard]] bool overdue() const { return m_end && Clock::now() >= *m_end; }

 private:
  void connected(std::unique_ptr<websocket::WebSocket> channel);
  Result<Change> advance();

  Session& m_session;
  LivePlan m_plan;
  Warn m_warn;
  std::optional<FinishOnInterrupt> m_finish{};
  std::unique_ptr<websocket::WebSocket> m_channel{};
  std::optional<Background<Result<websocket::OpenResult>>> m_connector{};  ///< a new connection
  std::optional<Clock::time_point> m_greeted_by{};
  int m_attempts = 0;  ///< since the last working connection
  Clock::time_point m_retry{};
  std::string m_error_text{};
  std::string m_error_type{};
  bool m_error_ends = false;
  Clock::time_point m_error_at{};
  std::optional<Clock::time_point> m_end{};
};

// WebSockets of the service, opened with the session's settings and key.

/// Prints the handshake, for --dry-run and --curl.
[[nodiscard]] Result<void> show_socket(Session& session, request::Request request);

/// Opens a channel. A refused handshake becomes the same error as for any other request.
[[nodiscard]] Result<std::unique_ptr<websocket::WebSocket>> open_socket(
    Session& session, const request::Request& request);

/// Whether to reconnect after this close: the connection was lost, or the service is restarting or
/// overloaded.
[[nodiscard]] bool may_come_back(const websocket::Close& close);

/// Whether the peer closed the connection normally (RFC 6455 §7.4.1).
[[nodiscard]] bool closed_in_order(const websocket::Close& close);

/// Closes a channel with `code`. Waits up to half a second for the peer after a normal close
/// (1000), otherwise hardly at all.
void say_goodbye(websocket::WebSocket& channel, std::uint16_t code);

}  // namespace svc::cli
