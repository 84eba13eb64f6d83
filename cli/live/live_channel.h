// A live session with the service: one connection or, when one is lost, several.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "base/cancel_token.h"
#include "base/result.h"
#include "request/inputs.h"
#include "session/session.h"
#include "terminal/signals.h"
#include "websocket/channel.h"

namespace svc::cli {

struct LivePlan {
  /// For the socket of a prepared request, by the session's settings. Starts the emulator where it
  /// is meant.
  [[nodiscard]] static Result<LivePlan> make(Session& session, const request::Request& request);

  websocket::OpenRequest request{};  ///< whole: address, query, key
  websocket::ChannelOptions channel{};
  std::string what{};   ///< that the service may end: "the session"
  std::string ready{};  ///< what its greeting says: "that the session is ready"
  std::chrono::milliseconds greeting{15'000};  ///< how long that may take
  std::string meanwhile{};                     ///< what happens to the input of a lost connection
  bool key = false;                            ///< the user can press r to connect again
  int retries = 8;                             ///< attempts to bring a lost connection back
};

/// A WebSocket that is opened while something else runs.
class AsyncConnect {
 public:
  AsyncConnect(websocket::OpenRequest request, websocket::ChannelOptions options);
  AsyncConnect(const AsyncConnect&) = delete;
  AsyncConnect& operator=(const AsyncConnect&) = delete;
  /// Ends an attempt that is still running.
  ~AsyncConnect();

  /// Readable once the attempt is over.
  [[nodiscard]] int descriptor() const noexcept { return m_over.descriptor(); }
  [[nodiscard]] bool over() const noexcept { return m_is_over; }
  /// What came of it; once, when it is over.
  [[nodiscard]] Result<websocket::Opening> take();

 private:
  CancelSource m_cancel{};
  Event m_over{};
  std::atomic<bool> m_is_over = false;
  std::optional<Result<websocket::Opening>> m_opening{};  ///< the thread's until it is over
  std::thread m_thread{};  ///< opens the channel; the destructor ends it
};

class LiveChannel {
 public:
  using Clock = websocket::Channel::Clock;
  using Warn = std::function<void(const std::string& text)>;

  LiveChannel(Session& session, LivePlan plan, Warn warn)
      : m_session(session), m_plan(std::move(plan)), m_warn(std::move(warn)) {}

  /// Opens the first connection and calls `begin`; from here on a Ctrl-C asks for an orderly end.
  /// Repeats `step` until it fails or it `is_over`; then closes what there is.
  [[nodiscard]] Result<void> run(const std::function<void()>& begin,
                                 const std::function<Result<void>()>& step,
                                 const std::function<bool()>& is_over);
  /// What later connections ask for.
  [[nodiscard]] websocket::OpenRequest& request() noexcept { return m_plan.request; }

  /// False when there is no connection, or it takes no more for now.
  [[nodiscard]] bool send(websocket::Message message);

  /// Waits as Channel::receive() does, and for what is due here too.
  [[nodiscard]] Result<websocket::Received> wait(std::optional<Clock::time_point> until,
                                                 std::vector<int> others);

  enum class News : std::uint8_t { None, Lost, Connected };
  /// What is due by the clock: an attempt to connect begins or is over, a greeting is late, an
  /// error of the service did not end the connection.
  [[nodiscard]] Result<News> on_time();

  /// Another connection is tried after a pause that grows; `error`, with the number of attempts,
  /// after the last one.
  [[nodiscard]] Result<void> lose(Error error);
  /// Another connection, now: the user asked for it, or the request has changed.
  void renew();
  /// The service has greeted.
  void greeted() noexcept { m_greeted_by.reset(); }
  /// The connection works; true when it is not the first one.
  bool works() noexcept;
  /// Another attempt than the first one is under way.
  [[nodiscard]] bool retries() const noexcept { return m_attempts > 0; }

  /// The service reported an error, which may be about to end the connection when it `ends`.
  void blame(std::string text, std::string type, bool ends);
  /// Warns of it, unless the connection may still end because of it; `all`: in any case.
  void tell_blame(bool all = false);
  /// Why the connection ended; the type of what the service had reported, or "".
  struct End {
    Error error{};
    std::string type{};
    bool said = false;
  };
  [[nodiscard]] End take_end(const websocket::Close& close);

  /// The user asked for the end by a signal.
  [[nodiscard]] bool interrupted() const { return m_finish && m_finish->requested().has_value(); }
  /// From now on the end may take this long.
  void end_within(Clock::duration time);
  [[nodiscard]] bool ending() const noexcept { return m_end.has_value(); }
  [[nodiscard]] bool overdue() const { return m_end && Clock::now() >= *m_end; }

 private:
  void connected(std::unique_ptr<websocket::Channel> channel);
  Result<News> advance();

  Session& m_session;
  LivePlan m_plan;
  Warn m_warn;
  std::optional<FinishOnInterrupt> m_finish{};
  std::unique_ptr<websocket::Channel> m_channel{};
  std::optional<AsyncConnect> m_connector{};
  std::optional<Clock::time_point> m_greeted_by{};
  int m_attempts = 0;  ///< since a connection worked
  Clock::time_point m_retry{};
  std::string m_blame{};
  std::string m_blame_type{};
  bool m_blame_ends = false;
  Clock::time_point m_blamed{};
  std::optional<Clock::time_point> m_end{};
};

// WebSockets of the service, opened with the session's settings and key.

/// How this session opens channels: its time limits, and its trace with -v.
[[nodiscard]] websocket::ChannelOptions channel_options(Session& session);

/// The handshake of a prepared request, with the key, or the client secret of --protocol-secret,
/// and what --subprotocol offers. Starts the emulator where it is meant.
[[nodiscard]] Result<websocket::OpenRequest> socket_request(Session& session,
                                                            const request::Request& request);

/// The same handshake, for --dry-run and --curl.
[[nodiscard]] Result<void> show_socket(Session& session, request::Request request);

/// Opens a channel. A refusal is the service's error, as for any other request.
[[nodiscard]] Result<std::unique_ptr<websocket::Channel>> open_socket(
    Session& session, const request::Request& request);

/// The channel, or the service's refusal as its error.
[[nodiscard]] Result<std::unique_ptr<websocket::Channel>> channel_of(
    websocket::Opening opening, std::span<const std::string> secrets);

/// Whether a connection that ended so may be brought back: it was lost, or the service had to
/// restart or is overloaded.
[[nodiscard]] bool may_come_back(const websocket::Close& close);

/// Whether the peer closed because there was nothing more to say (RFC 6455 §7.4.1).
[[nodiscard]] bool closed_in_order(const websocket::Close& close);

/// Closes a channel with `code`; waits for the peer half a second when all was said (1000), else
/// hardly.
void say_goodbye(websocket::Channel& channel, std::uint16_t code);

}  // namespace svc::cli
