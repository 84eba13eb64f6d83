#include "emulator/server/dispatch.h"

#include <filesystem>

#include <nlohmann/json.hpp>

#include "base/url.h"
#include "emulator/handler/socket.h"
#include "emulator/model/answer.h"
#include "emulator/server/recorder.h"

namespace svc::emulator {
namespace {

constexpr sv k_control_prefix = "/_emulator/";

constexpr std::size_t k_max_scopes = 1'000;

std::vector<Route> with_control(std::vector<Route> routes) {
  for (auto& route : control_routes()) routes.push_back(std::move(route));
  return routes;
}

std::vector<FaultOperation> operations_of(const std::vector<Route>& routes) {
  std::vector<FaultOperation> operations;
  for (const Route& route : routes) operations.push_back({route.method, route.path});
  return operations;
}

// The emulator's control operations are neither logged nor subject to faults.
bool is_control_path(sv raw_path) {
  const std::string path = percent_decode(raw_path);  // as the router compares it
  return path.starts_with(k_control_prefix) || path == "/health" || path == "/";
}

bool begins_test(const HttpRequest& request) {
  return request.method != "GET" || !is_control_path(request.raw_path());
}

// Whether the request uses that model, in its JSON body or its query.
bool names_model(const HttpRequest& request, sv model) {
  const auto query = parse_query(request.target);
  const bool asked = std::ranges::any_of(
      query, [&](const Header& one) { return one.name == "model" && one.value == model; });
  if (asked) return true;
  const text::Json body = text::parse_json(request.body);
  return body.is_object() && text::get_string(body, "model") == model;
}

// Whether the request uses that key: its secret, ID or name.
bool carries_key(State& state, const HttpRequest& request, sv key) {
  sv secret = request.header("Authorization");
  if (const auto space = secret.find(' '); space != sv::npos) secret = trim(secret.substr(space));
  if (secret.empty() || secret == key) return secret == key;
  for (const auto kind : {keys::Kind::Inference, keys::Kind::Management}) {
    const auto found = state.find_key(secret, kind);
    if (found && *found && ((*found)->id == key || (*found)->name == key)) return true;
  }
  return false;
}

// The management host responds to an unknown path with a page.
bool is_management_path(sv path) {
  constexpr std::array<sv, 5> k_prefixes = {"/auth/", "/audit/", "/v1/auth/", "/v1/billing/",
                                            "/v1/collections/"};
  return path == "/v1/collections" ||
         std::ranges::any_of(k_prefixes, [&](sv prefix) { return path.starts_with(prefix); });
}

Response unknown_path_error(const HttpRequest& request) {
  if (is_management_path(request.raw_path())) {
    return Response{.status = 404,
                    .content_type = "text/html; charset=utf-8",
                    .body =
                        "<!DOCTYPE html>\n<html><head><title>404 Not Found</title></head>"
                        "<body><h1>404 Not Found</h1></body></html>\n"};
  }
  return not_found_error(
      fmt::format("The emulator has no operation at {}.", visible(request.raw_path())));
}

Response method_not_allowed_error(const HttpRequest& request, std::vector<std::string> allowed) {
  if (has_element(allowed, "GET")) allowed.emplace_back("HEAD");
  const std::string list = join(allowed, ", ");
  Response response = error_response(
      405, "Method not allowed",
      fmt::format("{} is not allowed here. Allowed: {}.", visible(request.method), list));
  response.headers.push_back({"Allow", list});
  return response;
}

bool has_json_type(const HttpRequest& request) {
  const sv type = request.header("Content-Type");
  const std::string media = to_lower(trim(type.substr(0, type.find(';'))));
  return media == "application/json" ||
         (media.starts_with("application/") && media.ends_with("+json"));
}

bool needs_json(const Route& route) {
  constexpr std::array<sv, 3> k_with_body = {"POST", "PUT", "PATCH"};
  return route.input == Input::Json && has_element(k_with_body, route.method);
}

// Refuses a query parameter that a control operation does not have.
std::optional<Response> check_query(const HttpRequest& request, const Route& route) {
  for (const Header& one : parse_query(request.target)) {
    if (has_element(route.query, one.name)) continue;
    return invalid_argument_error(fmt::format(
        "There is no query parameter {}; {} {}.", visible(one.name, Lines::Escape), route.path,
        route.query.empty() ? "has none" : "has " + join(route.query, ", ")));
  }
  return std::nullopt;
}

Response content_type_error() {
  return error_response(
      415, "Unsupported media type",
      "This operation takes a JSON body with the header Content-Type: application/json.");
}

// Requires a JSON body; otherwise returns the refusal.
std::optional<Response> check_body(const HttpRequest& request) {
  if (request.body.empty()) return content_type_error();
  if (const auto fault = check_json(request.body)) {
    return invalid_argument_error(
        fmt::format("Failed to parse the request body as JSON: {} at line {} column {}",
                    fault->reason, fault->line, fault->column));
  }
  return std::nullopt;
}

std::int64_t elapsed_ms(const Dispatcher::Ticket& ticket) {
  if (ticket.scope == nullptr) return 0;
  return std::max<std::int64_t>(0, ticket.scope->state.now_ms() - ticket.begin_ms);
}

void add_metrics(Response& response, const MetricHeaders& wanted, const Quota& quota,
                 std::int64_t elapsed_ms, const std::string& request_id) {
  const auto add = [&](const char* name, std::string value) {
    const bool given = find_header(response.headers, name) != nullptr;  // by a rule
    if (!given) response.headers.push_back({name, std::move(value)});
  };
  const bool failed = response.status >= 400;
  if (failed ? wanted.request_id_of_errors : wanted.request_id) add("x-request-id", request_id);
  if (failed) return;
  if (wanted.requests) {
    add("x-ratelimit-limit-requests", std::to_string(quota.limit_requests));
    add("x-ratelimit-remaining-requests", std::to_string(quota.remaining_requests));
    add("x-zero-data-retention", "false");
  }
  if (wanted.tokens) {
    add("x-ratelimit-limit-tokens", std::to_string(quota.limit_tokens));
    add("x-ratelimit-remaining-tokens", std::to_string(quota.remaining_tokens));
  }
  // A stream's head is sent before its end is known.
  if (wanted.timings && !response.next) add("x-metrics-e2e-ms", std::to_string(elapsed_ms));
  if (wanted.timings && wanted.tokens) {
    add("x-metrics-ttft-ms", std::to_string(elapsed_ms));
    // Time between two tokens; a response sent at once has none.
    add("x-metrics-mean-itl-ms",
        fmt::format("{:.2f}", static_cast<double>(elapsed_ms) /
                                  static_cast<double>(std::max<std::int64_t>(1, response.tokens))));
  }
}

}  // namespace

TemporaryFile::TemporaryFile(sv suffix) {
  std::error_code error;
  std::filesystem::path directory = std::filesystem::temp_directory_path(error);
  if (error) directory = "/tmp";
  m_path = (directory / fmt::format("svc-emulator-{}{}", random_uuid(), suffix)).string();
}

TemporaryFile::~TemporaryFile() {
  std::error_code error;
  std::filesystem::remove(m_path, error);
}

Scope::Scope(std::string test, State& target)
    : name(std::move(test)),
      state(target),
      rate_limiter(target),
      controls{.answers = target.answers()} {}

Dispatcher::Dispatcher(State& state, std::vector<Route> routes, AccessLog access_log)
    : m_operations(operations_of(routes)),
      m_router(with_control(std::move(routes))),
      m_access_log(std::move(access_log)),
      m_main(std::make_shared<Scope>("", state)) {
  connect(*m_main);
}

// Gives the scope its control operations.
void Dispatcher::connect(Scope& scope) {
  Controls& controls = scope.controls;
  controls.faults.set_operations(m_operations);
  std::vector<std::string> operations;
  for (const FaultOperation& one : m_operations) operations.push_back(one.method + " " + one.path);
  controls.answers.set_operations(std::move(operations));
  controls.reset = [this, &scope](std::optional<std::uint64_t> seed,
                                  std::optional<std::int64_t> clock_s) {
    return reset(scope, seed, clock_s);
  };
  controls.scopes = [this] {
    const std::lock_guard lock(m_mutex);
    return text::Json{
        {"scopes", text::json_list(m_scopes, [](const auto& one) { return one.first; })}};
  };
}

// Gives the scope what every scope begins with.
Result<void> Dispatcher::prepare(Scope& scope, std::optional<std::uint64_t> seed) const {
  scope.controls.answers.set_strict(m_setup.strict);  // it decides which rules are accepted
  SVC_CHECK(scope.controls.answers.add(m_setup.answers, AnswerRuleSet::Place::Last));
  SVC_CHECK(scope.controls.faults.add(m_setup.faults));
  SVC_CHECK(scope.state.set_limits(m_setup.limits));
  return scope.state.seed_ids(seed ? seed : m_setup.seed);
}

// Returns null if there are too many. One that does not begin lives as long as its request: who
// only looks at a test that has just ended must not begin it again.
std::shared_ptr<Scope> Dispatcher::scope_of(const std::string& name, bool begin,
                                            std::optional<std::uint64_t> seed,
                                            std::optional<std::int64_t> clock_s) {
  if (name.empty()) return m_main;
  const std::lock_guard lock(m_mutex);
  if (const auto found = m_scopes.find(name); found != m_scopes.end()) return found->second;
  if (m_scopes.size() >= k_max_scopes) return nullptr;
  auto state = State::open(":memory:", {}, clock_s ? clock_s : m_setup.clock_s);
  if (!state) return nullptr;
  auto scope = std::make_shared<Scope>(name, **state);
  scope->own = *std::move(state);
  connect(*scope);
  (void)prepare(*scope, seed);  // the same succeeded at the start
  if (!begin) return scope;
  m_scopes[name] = scope;
  if (m_listener) m_listener(*scope);
  return scope;
}

Dispatcher::Ticket Dispatcher::admit(const HttpRequest& request, bool complete) {
  Ticket ticket;
  ticket.scope = scope_of(request.scope, begins_test(request));
  if (ticket.scope == nullptr) return ticket;
  State& state = ticket.scope->state;
  Controls& controls = ticket.scope->controls;
  state.touch();
  ticket.begin_ms = state.now_ms();
  if (is_control_path(request.raw_path())) return ticket;
  ticket.number = controls.log.add(request, ticket.begin_ms);
  if (complete) {
    ticket.plan = controls.faults.plan(
        {.method = request.method,
         .path = request.raw_path(),
         .is_key = [&](sv key) { return carries_key(state, request, key); },
         .names_model = [&](sv model) { return names_model(request, model); }});
  }
  if (!complete || ticket.plan.replacement) note(request, ticket);
  return ticket;
}

// verify() counts a request that did not get as far as the rules, too.
void Dispatcher::note(const HttpRequest& request, const Ticket& ticket) const {
  if (ticket.number == 0) return;
  State& state = ticket.scope->state;
  state.answers().note(ticket.number, [&] {
    Request call{request};
    call.state = &state;
    call.number = ticket.number;
    const Route* route = find_route(request);
    const std::string operation =
        fmt::format("{} {}", request.method, route ? route->path : request.raw_path());
    AnswerTarget target = text::unread_target(call, operation_name(operation));
    target.is_key = [&state, head = HttpRequest{.headers = request.headers}](sv key) {
      return carries_key(state, head, key);
    };
    return target;
  });
}

// A test's scope ends, and lives on for what is open: its name begins another one.
Result<void> Dispatcher::reset(Scope& scope, std::optional<std::uint64_t> seed,
                               std::optional<std::int64_t> clock_s) {
  SVC_CHECK(scope.state.reset(clock_s ? clock_s : m_setup.clock_s));
  scope.rate_limiter.clear();
  if (scope.name.empty()) return prepare(scope, seed);
  {
    const std::lock_guard lock(m_mutex);
    std::erase_if(m_scopes, [&](const auto& one) { return one.second.get() == &scope; });
  }
  if (seed || clock_s) (void)scope_of(scope.name, true, seed, clock_s);
  return {};
}

void Dispatcher::finished(const HttpRequest& request, const Ticket& ticket, int status) {
  if (ticket.number != 0) ticket.scope->controls.log.set_status(ticket.number, status);
  if (!m_access_log) return;
  m_access_log(fmt::format("{} {} {} {} ms", visible(request.method, Lines::Escape),
                           visible(request.raw_path(), Lines::Escape), status, elapsed_ms(ticket)));
}

// Authenticates the caller; returns the refusal, if any.
std::optional<Response> Dispatcher::check_caller(const HttpRequest& request, State& state,
                                                 Admission& admission) {
  const Route& route = *admission.found.route;
  if (route.key == KeyRequirement::None) return std::nullopt;
  if (const auto secret = offered_secret(request)) {
    SVC_TRY(grant, authenticate_secret(state, *secret, route));
    admission.key = std::move(grant.key);
    admission.client_secret = std::move(grant.session);
    return check_balance(state, admission.key.team_id);
  }
  const sv authorization = request.header("Authorization");
  const bool management = route.key == KeyRequirement::Management;
  SVC_TRY(key, management ? authenticate_management(state, authorization, admission.found.params)
                          : authenticate(state, authorization, route));
  admission.key = std::move(key);
  return management ? std::nullopt : check_balance(state, admission.key.team_id);
}

Dispatcher::Admission Dispatcher::check_head(const HttpRequest& request, Scope* scope) const {
  Admission admission{m_router.find(request.method, request.raw_path())};
  if (admission.found.route == nullptr) {
    admission.refusal = admission.found.allowed.empty()
                            ? unknown_path_error(request)
                            : method_not_allowed_error(request, admission.found.allowed);
    return admission;
  }
  const Route& route = *admission.found.route;
  if (route.path.starts_with(k_control_prefix)) {
    if (const std::string why = check_control_access(request, m_control_token); !why.empty()) {
      admission.refusal = error_response(403, "Forbidden", why);
      return admission;
    }
    admission.refusal = check_query(request, route);
    if (admission.refusal) return admission;
  }
  if (scope == nullptr) {
    admission.refusal = error_response(
        429, "emulator_too_many_tests",
        fmt::format("There are {} tests. POST /_emulator/reset with the header X-Test-Id ends one.",
                    k_max_scopes));
    return admission;
  }
  if ((admission.refusal = check_caller(request, scope->state, admission))) return admission;
  if (needs_json(route) && !has_json_type(request)) admission.refusal = content_type_error();
  return admission;
}

bool Dispatcher::is_relayed(const HttpRequest& request) const {
  return (m_recorder != nullptr || m_replay) && !is_control_path(request.raw_path());
}

Response Dispatcher::relay(const HttpRequest& request, const Ticket& ticket) const {
  const Router::Found found = m_router.find(request.method, request.raw_path());
  const std::string full =
      found.route == nullptr ? "" : fmt::format("{} {}", found.route->method, found.route->path);
  if (m_recorder != nullptr) return m_recorder->forward(request, operation_name(full));
  Request call{request};
  call.state = &ticket.scope->state;
  call.number = ticket.number;
  return text::replayed(call, operation_name(full));
}

std::optional<Response> Dispatcher::validate_head(const HttpRequest& head) {
  if (is_relayed(head)) return std::nullopt;
  auto refusal = check_head(head, scope_of(head.scope, begins_test(head)).get()).refusal;
  if (refusal && is_management_path(head.raw_path()))
    return management::to_management_error(*refusal);
  return refusal;
}

Response Dispatcher::run(Request& request, const Admission& admission, Scope& scope) {
  request.path = percent_decode(request.raw_path());
  request.params = admission.found.params;
  request.query = parse_query(request.target);
  request.key = admission.key;
  request.client_secret = admission.client_secret;
  request.state = &scope.state;
  request.controls = &scope.controls;
  try {
    return admission.found.route->handler(request);
  } catch (const std::exception& bug) {
    return internal_error(
        Error{Fault::Unexpected, fmt::format("The emulator has a fault: {}.", bug.what())});
  }
}

Response Dispatcher::response(HttpRequest given, const Ticket& ticket) {
  if (is_relayed(given) && ticket.scope != nullptr) {
    Response response = relay(given, ticket);
    note(given, ticket);
    return response;
  }
  Request request{std::move(given)};
  request.number = ticket.number;
  // Control requests must not change the sequence of seeded IDs.
  request.request_id = ticket.number == 0 ? random_uuid() : ticket.scope->state.new_uuid();
  const bool management = is_management_path(request.raw_path());
  Admission admission = check_head(request, ticket.scope.get());
  Quota quota;
  const auto finish = [&](Response response) {
    if (!response.socket) note(request, ticket);  // the turns of a conversation count
    if (management) response = management::to_management_error(std::move(response));
    if (admission.found.route != nullptr) {
      const Route& route = *admission.found.route;
      add_metrics(response, metric_headers(route.method, route.path), quota, elapsed_ms(ticket),
                  request.request_id);
    }
    return response;
  };
  if (admission.refusal) return finish(*std::move(admission.refusal));
  Scope& scope = *ticket.scope;
  const Route& route = *admission.found.route;
  if (needs_json(route)) {
    if (auto refusal = check_body(request)) return finish(*std::move(refusal));
  }
  const bool counted = route.key == KeyRequirement::Usable;
  if (counted) quota = scope.rate_limiter.count_call(admission.key, ticket.begin_ms);
  if (quota.refused) {
    return finish(resource_exhausted_error(
        fmt::format("Rate limit of this API key reached. Try again in {} s.", quota.retry_after_s),
        quota.retry_after_s));
  }
  Response response = run(request, admission, scope);
  if (counted && response.tokens > 0) {
    quota = scope.rate_limiter.add_tokens(admission.key, response.tokens, ticket.begin_ms);
  }
  if (const auto recorded = charge_team(scope.state, admission.key.team_id, response.charges);
      !recorded) {
    return finish(internal_error(recorded.error()));
  }
  return finish(std::move(response));
}

Router::Router(std::vector<Route> routes) {
  m_rows.reserve(routes.size());
  for (auto& route : routes) m_rows.push_back(make_row(std::move(route)));
}

Router::Row Router::make_row(Route route) {
  Row row{std::move(route)};
  for (const sv part : split(row.route.path, '/')) {
    Segment segment;
    const auto close = part.starts_with('{') ? part.find('}') : sv::npos;
    if (close == sv::npos) {
      segment.literal = part;
    } else {
      segment.parameter = part.substr(1, close - 1);
      segment.literal = part.substr(close + 1);  // "{batch_id}:cancel"
    }
    row.literal_size += segment.literal.size();
    row.segments.push_back(std::move(segment));
  }
  return row;
}

bool Router::matches(const Row& row, const std::vector<std::string>& segments,
                     std::map<std::string, std::string>& params) {
  if (row.segments.size() != segments.size()) return false;
  params.clear();
  for (std::size_t i = 0; i < segments.size(); ++i) {
    const Segment& wanted = row.segments[i];
    const std::string& given = segments[i];
    if (wanted.parameter.empty()) {
      if (given != wanted.literal) return false;
      continue;
    }
    if (given.size() <= wanted.literal.size() || !given.ends_with(wanted.literal)) return false;
    params[wanted.parameter] = given.substr(0, given.size() - wanted.literal.size());
  }
  return true;
}

Router::Found Router::find(sv method, sv raw_path) const {
  std::vector<std::string> segments;
  for (const sv part : split(raw_path, '/')) segments.push_back(percent_decode(part));
  const sv wanted = method == "HEAD" ? "GET" : method;
  Found found;
  std::size_t best = 0;
  std::map<std::string, std::string> params;
  for (const Row& row : m_rows) {
    if (!matches(row, segments, params)) continue;
    if (!has_element(found.allowed, row.route.method)) found.allowed.push_back(row.route.method);
    if (row.route.method != wanted) continue;
    if (found.route != nullptr && row.literal_size <= best) continue;
    found.route = &row.route;
    found.params = params;
    best = row.literal_size;
  }
  return found;
}

}  // namespace svc::emulator
