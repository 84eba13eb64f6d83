// The emulator's control operations, for scripts under test: fault and answer rules, and the
// request log.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "emulator/control/answers.h"
#include "emulator/control/faults.h"
#include "emulator/handler/handler.h"

namespace svc::emulator {

struct LoggedRequest {
  std::uint64_t number = 0;  ///< from 1, without gaps
  std::int64_t time_ms = 0;  ///< Unix milliseconds
  std::string method{};
  std::string target{};
  std::vector<Header> headers{};  ///< without headers that contain secrets
  std::string body{};             ///< at most the first 64 kB
  std::uint64_t body_bytes = 0;   ///< the full size
  std::uint64_t messages =
      0;  ///< of a WebSocket; `body` then contains its text messages, one per line
  std::uint64_t binary_bytes = 0;  ///< of its binary messages
  int status = 0;                  ///< 0 until the response is sent, or if there never was one
  std::string response{};          ///< its body or text messages, as of the request
  std::uint64_t response_bytes = 0;
};

/// Stores the last 1,000 requests. Thread-safe.
class RequestLog {
 public:
  /// Returns the request's number.
  std::uint64_t add(const HttpRequest& request, std::int64_t now_ms);

  /// Records the response's status; does nothing if the request was dropped from the log.
  void set_status(std::uint64_t number, int status);

  /// Adds to the response's body. A text message of a WebSocket must end with a line feed.
  void add_response(std::uint64_t number, sv bytes);

  /// Records a WebSocket message.
  void add_message(std::uint64_t number, sv message, bool is_text);

  /// Returns the requests with a number above `number`, oldest first.
  [[nodiscard]] std::vector<LoggedRequest> since(std::uint64_t number) const;

  /// Deletes all requests. Numbering continues: a request in flight retains its number.
  void clear();

  /// Returns the number of the last request; 0 if there was none.
  [[nodiscard]] std::uint64_t last() const;

 private:
  [[nodiscard]] LoggedRequest* find(std::uint64_t number);

  mutable std::mutex m_mutex{};
  std::deque<LoggedRequest> m_requests{};
  std::uint64_t m_last = 0;
};

/// What the control operations of one scope read and change. The functions act on its state.
struct Controls {
  AnswerRuleSet& answers;
  FaultRuleSet faults{};
  RequestLog log{};
  /// Deletes everything; `seed` and `clock_s` (Unix seconds) replace those it began with.
  std::function<Result<void>(std::optional<std::uint64_t> seed,
                             std::optional<std::int64_t> clock_s)>
      reset{};
  std::function<std::int64_t(std::chrono::milliseconds)> advance{};  ///< returns the new time, ms
  std::function<Result<void>(sv name, std::int64_t value)> set_limit{};
  std::function<Result<text::Json>()> limits{};
  std::function<Result<std::string>()> save{};
  std::function<Result<void>(sv)> load{};
  std::function<text::Json()> scopes{};  ///< the names of all scopes
};

/// The operations below /_emulator/ that each act on the scope of their request, GET /, a page that
/// shows them, and GET /health. None of them requires a key.
[[nodiscard]] std::vector<Route> control_routes();

/// Returns the HTML of GET /, which needs no other file.
[[nodiscard]] sv control_page();

/// Returns why a request to /_emulator/ is refused, or "": it must come from this machine or have
/// the `token` (if that is not empty), use a local host name, and not come from a web page.
[[nodiscard]] std::string check_control_access(const HttpRequest& request, sv token);

}  // namespace svc::emulator
