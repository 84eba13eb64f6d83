// Processes a request without sockets: log, faults, routing, authentication, checks.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/account/limits.h"
#include "emulator/control/faults.h"
#include "emulator/control/routes.h"
#include "emulator/handler/handler.h"
#include "emulator/state/state.h"

namespace svc::emulator {

/// Finds the route of a request.
class Router {
 public:
  explicit Router(std::vector<Route> routes);

  struct Found {
    const Route* route = nullptr;  ///< null: no route for that method and path
    std::map<std::string, std::string> params{};
    std::vector<std::string> allowed{};  ///< the methods of that path; empty: unknown path
  };

  /// `raw_path` is still percent-encoded: an encoded slash is part of its segment. Of several
  /// matching routes, the one with the most literal text is used. HEAD finds the GET route.
  [[nodiscard]] Found find(std::string_view method, std::string_view raw_path) const;

 private:
  /// One segment of a route: literal text, or a parameter followed by literal text.
  struct Segment {
    std::string parameter{};  ///< empty: only literal text
    std::string literal{};
  };
  struct Row {
    Route route;
    std::vector<Segment> segments{};
    std::size_t literal_size = 0;
  };
  [[nodiscard]] static Row make_row(Route route);
  [[nodiscard]] static bool matches(const Row& row, const std::vector<std::string>& segments,
                                    std::map<std::string, std::string>& params);

  std::vector<Row> m_rows{};
};

/// Called with a readable line for each response.
using AccessLog = std::function<void(std::string_view line)>;

/// Thread-safe.
class Dispatcher {
 public:
  /// `state` must outlive the dispatcher.
  Dispatcher(State& state, std::vector<Route> routes, AccessLog access_log = {});
  Dispatcher(const Dispatcher&) = delete;
  Dispatcher& operator=(const Dispatcher&) = delete;

  /// Recorded when a request arrives.
  struct Ticket {
    std::uint64_t number = 0;  ///< number in the log; 0 for the emulator's control operations
    std::int64_t begin_ms = 0;
    FaultPlan plan{};
  };

  /// Logs the request and selects its faults.
  [[nodiscard]] Ticket admit(const HttpRequest& request);

  /// Returns the response. Applies no latency and never throws.
  [[nodiscard]] Response response(HttpRequest request, const Ticket& ticket);

  /// Returns an error response that is certain from the head alone (unknown operation, missing key,
  /// not JSON), so that a large body need not be read.
  [[nodiscard]] std::optional<Response> validate_head(const HttpRequest& head);

  /// Returns the route of a request; null if there is none.
  [[nodiscard]] const Route* find_route(const HttpRequest& head) const {
    return m_router.find(head.method, head.raw_path()).route;
  }

  /// Records a request's status.
  void finished(const HttpRequest& request, const Ticket& ticket, int status);

  /// Records a WebSocket message.
  void received(const Ticket& ticket, std::string_view message, bool is_text);

  /// The emulator's clock, Unix seconds.
  [[nodiscard]] std::int64_t now_s() const { return m_state.now_ms() / 1000; }

  [[nodiscard]] FaultRuleSet& faults() { return m_faults; }

  /// Makes IDs reproducible from now on, and again after each POST /_emulator/reset.
  void use_seed(std::uint64_t seed);

 private:
  /// A routed and authenticated request, or its refusal.
  struct Admission {
    Router::Found found{};
    KeyRecord key{};
    std::optional<std::string> client_secret{};  ///< the session of the client secret that was used
    std::optional<Response> refusal{};
  };
  [[nodiscard]] std::optional<Response> check_caller(const HttpRequest& request,
                                                     Admission& admission);
  [[nodiscard]] Admission check_head(const HttpRequest& request);
  [[nodiscard]] Result<void> reset_state();
  [[nodiscard]] Response run(HttpRequest request, const Admission& admission,
                             const std::string& request_id);

  State& m_state;
  FaultRuleSet m_faults{};
  RequestLog m_log{};
  RateLimiter m_rate_limiter;
  Router m_router;
  AccessLog m_access_log;
  std::optional<std::uint64_t> m_seed{};
};

}  // namespace svc::emulator
