// The emulator's own operations, for scripts under test: faults and the log of requests.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "emulator/control/answers.h"
#include "emulator/control/faults.h"
#include "emulator/handler/handler.h"
#include "emulator/handler/http_call.h"

namespace svc::emulator {

struct LoggedRequest {
  std::uint64_t number = 0;  ///< from 1, without gaps
  std::int64_t time_ms = 0;  ///< Unix milliseconds
  std::string method{};
  std::string target{};
  std::vector<Header> headers{};   ///< without what holds a secret
  std::string body{};              ///< at most the first 64 kB
  std::uint64_t body_bytes = 0;    ///< the whole size
  std::uint64_t messages = 0;      ///< of a WebSocket; `body` then has its texts, a line each
  std::uint64_t binary_bytes = 0;  ///< of its binary messages
  int status = 0;                  ///< 0 while there is no answer, and when there never was one
};

/// Keeps 1,000 requests. Safe for several threads.
class RequestLog {
 public:
  /// The number of the request.
  std::uint64_t add(const HttpCall& call, std::int64_t now_ms);

  /// Notes the status of the answer; nothing happens when the request has dropped out.
  void set_status(std::uint64_t number, int status);

  /// Notes a message that came over a WebSocket.
  void add_message(std::uint64_t number, std::string_view message, bool is_text);

  /// Those with a number above `since`, oldest first.
  [[nodiscard]] std::vector<LoggedRequest> since(std::uint64_t number) const;

  /// Forgets them all. The numbers go on: a request that is being answered keeps its own.
  void clear();

  /// The number of the last request; 0 before the first.
  [[nodiscard]] std::uint64_t last() const;

 private:
  [[nodiscard]] LoggedRequest* find(std::uint64_t number);

  mutable std::mutex m_mutex{};
  std::deque<LoggedRequest> m_requests{};
  std::uint64_t m_last = 0;
};

/// What the control routes read and change; it must outlive them.
struct Controls {
  FaultBook& faults;
  AnswerBook& answers;
  RequestLog& log;
  std::function<Result<void>()> reset_state;
};

/// GET, POST and DELETE of /_emulator/faults and /_emulator/answers; GET
/// /_emulator/requests?since=N; POST /_emulator/reset, which forgets all of these and the state;
/// and GET /health. They need no key.
[[nodiscard]] std::vector<Route> control_routes(const Controls& controls);

/// Why a request to /_emulator/ is refused, or "": it must come from this machine, name it as its
/// host, and not come from a web page.
[[nodiscard]] std::string refuse_control(const HttpCall& call);

}  // namespace svc::emulator
