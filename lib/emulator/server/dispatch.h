// From a request to its answer, without sockets: log, faults, routing, authentication, checks.
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
#include "emulator/handler/http_call.h"
#include "emulator/state/state.h"

namespace svc::emulator {

/// Finds the route of a request.
class Router {
 public:
  explicit Router(std::vector<Route> routes);

  struct Found {
    const Route* route = nullptr;  ///< null: no route for that method and path
    std::map<std::string, std::string> params{};
    std::vector<std::string> allowed{};  ///< the methods of that path; empty: an unknown path
  };

  /// `raw_path` is still percent-encoded: an encoded slash is part of its segment. Where several
  /// routes match, the one with the most literal text wins. HEAD finds the GET route.
  [[nodiscard]] Found find(std::string_view method, std::string_view raw_path) const;

 private:
  /// One segment of a route: literal text, or a parameter with literal text after it.
  struct Segment {
    std::string parameter{};  ///< empty: all literal
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

/// Told of each answer: a line for people.
using AccessLog = std::function<void(std::string_view line)>;

/// Safe for several threads.
class Dispatcher {
 public:
  /// `state` must outlive it.
  Dispatcher(State& state, std::vector<Route> routes, AccessLog access_log = {});
  Dispatcher(const Dispatcher&) = delete;
  Dispatcher& operator=(const Dispatcher&) = delete;

  /// What was noted when a request came in.
  struct Ticket {
    std::uint64_t number = 0;  ///< in the log; 0 for the emulator's own operations
    std::int64_t begin_ms = 0;
    FaultPlan plan{};
  };

  /// Logs the request and draws the faults that befall it.
  [[nodiscard]] Ticket admit(const HttpCall& call);

  /// The answer, which is never late and never an exception.
  [[nodiscard]] Answer answer(HttpCall call, const Ticket& ticket);

  /// The refusal that is certain from the head alone (no such operation, no key, no JSON), so that
  /// a large body need not be read.
  [[nodiscard]] std::optional<Answer> refuse_head(const HttpCall& head);

  /// What the route of a request asks of those who serve it.
  struct Handling {
    std::uint64_t max_body = k_max_request_body;
    bool spool = false;
    RunOn run = RunOn::Loop;
  };
  [[nodiscard]] Handling handling(const HttpCall& head) const;

  /// Notes what became of a request.
  void finished(const HttpCall& call, const Ticket& ticket, int status);

  /// Notes a message that came over a WebSocket.
  void received(const Ticket& ticket, std::string_view message, bool is_text);

  /// What the clock of the emulator shows, Unix seconds.
  [[nodiscard]] std::int64_t now_s() const { return m_state.now_ms() / 1000; }

  [[nodiscard]] FaultBook& faults() { return m_faults; }

  /// Ids repeat from here on, and again after each POST /_emulator/reset.
  void use_seed(std::uint64_t seed);

 private:
  /// A routed and authenticated request, or its refusal.
  struct Admission {
    Router::Found found{};
    KeyRecord key{};
    std::optional<std::string> client_secret{};  ///< the session of the one that was used
    std::optional<Answer> refusal{};
  };
  [[nodiscard]] std::optional<Answer> check_caller(const HttpCall& call, Admission& admission);
  [[nodiscard]] Admission check_head(const HttpCall& call);
  [[nodiscard]] Result<void> reset_state();
  [[nodiscard]] Answer run(HttpCall call, const Admission& admission,
                           const std::string& request_id);

  State& m_state;
  FaultBook m_faults{};
  RequestLog m_log{};
  RateMeter m_meter;
  Router m_router;
  AccessLog m_access_log;
  std::optional<std::uint64_t> m_seed{};
};

}  // namespace svc::emulator
