// Processes a request without sockets: log, faults, routing, authentication, checks.
#pragma once

#include "emulator/account/auth.h"

namespace svc::emulator {

/// The path of a file in the directory for temporary files, which is deleted at the end.
class TemporaryFile {
 public:
  explicit TemporaryFile(sv suffix);
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile();
  [[nodiscard]] const std::string& path() const { return m_path; }

 private:
  std::string m_path;
};

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
  [[nodiscard]] Found find(sv method, sv raw_path) const;

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
using AccessLog = std::function<void(sv line)>;

class Recorder;

/// What each test's scope begins with.
struct ScopeSetup {
  std::vector<AnswerRule> answers{};
  std::vector<FaultRule> faults{};
  std::vector<std::pair<std::string, std::int64_t>> limits{};
  std::optional<std::uint64_t> seed{};
  std::optional<std::int64_t> clock_s{};  ///< unset: the system clock
  AnswerRuleSet::Strict strict = AnswerRuleSet::Strict::No;
};

/// One test's part of the emulator, or the part of requests without one.
struct Scope {
  Scope(std::string name, State& state);
  std::string name;
  State& state;
  std::shared_ptr<State> own{};  ///< `state` of a test; null for requests without one
  RateLimiter rate_limiter;
  Controls controls;
};

/// Thread-safe.
class Dispatcher {
 public:
  /// `state` must outlive the dispatcher.
  Dispatcher(State& state, std::vector<Route> routes, AccessLog access_log = {});

  /// Recorded when a request arrives.
  struct Ticket {
    std::shared_ptr<Scope> scope{};  ///< null: there are too many tests
    std::uint64_t number = 0;        ///< number in the log; 0 for the emulator's control operations
    std::int64_t begin_ms = 0;
    FaultPlan plan{};
  };

  /// Logs the request and selects its faults: none if it is refused before it is `complete`.
  [[nodiscard]] Ticket admit(const HttpRequest& request, bool complete = true);

  /// Returns the response. Applies no latency and never throws.
  [[nodiscard]] Response response(HttpRequest given, const Ticket& ticket);

  /// Returns an error that is certain from the head alone, so that a large body need not be read.
  [[nodiscard]] std::optional<Response> validate_head(const HttpRequest& head);

  /// Returns the route of a request; null if there is none.
  [[nodiscard]] const Route* find_route(const HttpRequest& head) const {
    return m_router.find(head.method, head.raw_path()).route;
  }

  /// Records a request's status.
  void finished(const HttpRequest& request, const Ticket& ticket, int status);

  /// Records a WebSocket message.
  void received(const Ticket& ticket, sv message, bool is_text) {
    if (ticket.number != 0) ticket.scope->controls.log.add_message(ticket.number, message, is_text);
  }

  /// Records what is sent of the response's body, or a message that ends with a line feed.
  void sent(const Ticket& ticket, sv bytes) {
    if (ticket.number != 0) ticket.scope->controls.log.add_response(ticket.number, bytes);
  }

  /// The clock of a request's scope, Unix seconds.
  [[nodiscard]] std::int64_t now_s(const Ticket& ticket) const {
    return (ticket.scope == nullptr ? *m_main : *ticket.scope).state.now_ms() / 1000;
  }

  [[nodiscard]] FaultRuleSet& faults() { return m_main->controls.faults; }

  /// Applies `setup` to the scope of requests without a test, and to each test's from now on.
  [[nodiscard]] Result<void> set_up(ScopeSetup setup) {
    m_setup = std::move(setup);
    return prepare(*m_main, {});
  }

  /// Calls `listener` with each test's scope that is created, at once for those that exist.
  void on_new_scope(std::function<void(const Scope&)> listener) {
    const std::lock_guard lock(m_mutex);
    m_listener = std::move(listener);
    for (const auto& [name, scope] : m_scopes) m_listener(*scope);
  }

  /// Passes every request on, or answers it from recorded rules. Keys are not checked.
  void set_recorder(Recorder& recorder) { m_recorder = &recorder; }
  void set_replay() { m_replay = true; }
  /// Whether a request is answered in one of these ways, which may block.
  [[nodiscard]] bool is_relayed(const HttpRequest& request) const;

  /// The token for control operations from other machines; empty: none are accepted.
  void set_control_token(std::string token) { m_control_token = std::move(token); }

 private:
  /// A routed and authenticated request, or its refusal.
  struct Admission {
    Router::Found found{};
    KeyRecord key{};
    std::optional<std::string> client_secret{};  ///< the session of the client secret that was used
    std::optional<Response> refusal{};
  };
  [[nodiscard]] static std::optional<Response> check_caller(const HttpRequest& request,
                                                            State& state, Admission& admission);
  [[nodiscard]] Admission check_head(const HttpRequest& request, Scope* scope) const;
  [[nodiscard]] Result<void> reset(Scope& scope, std::optional<std::uint64_t> seed,
                                   std::optional<std::int64_t> clock_s);
  [[nodiscard]] static Response run(Request& request, const Admission& admission, Scope& scope);
  [[nodiscard]] Response relay(const HttpRequest& request, const Ticket& ticket) const;
  void note(const HttpRequest& request, const Ticket& ticket) const;
  [[nodiscard]] std::shared_ptr<Scope> scope_of(const std::string& name, bool begin,
                                                std::optional<std::uint64_t> seed = {},
                                                std::optional<std::int64_t> clock_s = {});
  [[nodiscard]] Result<void> prepare(Scope& scope, std::optional<std::uint64_t> seed) const;
  void connect(Scope& scope);

  std::vector<FaultOperation> m_operations{};
  Router m_router;
  AccessLog m_access_log;
  std::string m_control_token{};
  Recorder* m_recorder = nullptr;
  bool m_replay = false;
  ScopeSetup m_setup{};
  std::shared_ptr<Scope> m_main;
  std::mutex m_mutex{};  ///< protects the rest
  std::map<std::string, std::shared_ptr<Scope>> m_scopes{};
  std::function<void(const Scope&)> m_listener{};
};

/// The operations below /_emulator/ that each act on the scope of their request, GET /, a page that
/// shows them, and GET /health. None of them requires a key.
[[nodiscard]] std::vector<Route> control_routes();

/// Returns why a request to /_emulator/ is refused, or "": it must come from this machine or have
/// the `token` (if that is not empty), use a local host name, and not come from a web page.
[[nodiscard]] std::string check_control_access(const HttpRequest& request, sv token);

}  // namespace svc::emulator
