#include "emulator/server/dispatch.h"

#include <algorithm>
#include <array>
#include <exception>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "base/url.h"
#include "emulator/account/auth.h"
#include "emulator/account/ledger.h"
#include "emulator/account/management.h"
#include "emulator/control/routes.h"
#include "emulator/handler/socket.h"
#include "emulator/json/json.h"
#include "json/text.h"

namespace svc::emulator {

namespace {

constexpr sv k_control_prefix = "/_emulator/";

std::vector<Route> with_control(std::vector<Route> routes, const Controls& controls) {
  std::vector<FaultOperation> operations;
  for (const Route& route : routes) operations.push_back({route.method, route.path});
  controls.faults.know(std::move(operations));
  for (auto& route : control_routes(controls)) routes.push_back(std::move(route));
  return routes;
}

// The emulator's control operations are neither logged nor subject to faults.
bool is_own_path(sv path) {
  return path.starts_with(k_control_prefix) || path == "/health";
}

// Whether the request uses that model, in its JSON body or its query.
bool names_model(const HttpCall& call, sv model) {
  const auto query = parse_query(call.target);
  const bool asked = std::ranges::any_of(
      query, [&](const Header& one) { return one.name == "model" && one.value == model; });
  if (asked) return true;
  const text::Json body = text::parse_json(call.body);
  return body.is_object() && text::text_of(body, "model") == model;
}

// Whether the request uses that key: its secret, ID or name.
bool carries_key(State& state, const HttpCall& call, sv key) {
  sv secret = call.header("Authorization");
  if (const auto blank = secret.find(' '); blank != sv::npos) secret = trim(secret.substr(blank));
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

Answer refuse_path(const HttpCall& call) {
  if (is_management_path(call.raw_path())) {
    Answer answer;
    answer.status = 404;
    answer.content_type = "text/html; charset=utf-8";
    answer.body =
        "<!DOCTYPE html>\n<html><head><title>404 Not Found</title></head>"
        "<body><h1>404 Not Found</h1></body></html>\n";
    return answer;
  }
  return refuse_missing(
      fmt::format("The emulator has no operation at {}.", visible(call.raw_path())));
}

Answer refuse_method(const HttpCall& call, std::vector<std::string> allowed) {
  if (std::ranges::find(allowed, "GET") != allowed.end()) allowed.emplace_back("HEAD");
  const std::string list = join(allowed, ", ");
  Answer answer =
      refuse(405, "Method not allowed",
             fmt::format("{} is not allowed here. Allowed: {}.", visible(call.method), list));
  answer.headers.push_back({"Allow", list});
  return answer;
}

bool has_json_type(const HttpCall& call) {
  const sv type = call.header("Content-Type");
  const std::string media = to_lower(trim(type.substr(0, type.find(';'))));
  return media == "application/json" ||
         (media.starts_with("application/") && media.ends_with("+json"));
}

bool needs_json(const Route& route) {
  constexpr std::array<sv, 3> k_with_body = {"POST", "PUT", "PATCH"};
  return route.input == Input::Json &&
         std::ranges::find(k_with_body, route.method) != k_with_body.end();
}

Answer refuse_type() {
  return refuse(415, "Unsupported media type",
                "This operation takes a JSON body with the header Content-Type: application/json.");
}

// Requires a JSON body; otherwise returns the refusal.
std::optional<Answer> check_body(const HttpCall& call) {
  if (call.body.empty()) return refuse_type();
  if (const auto fault = check_json(call.body)) {
    return refuse_argument(
        fmt::format("Failed to parse the request body as JSON: {} at line {} column {}",
                    fault->reason, fault->line, fault->column));
  }
  return std::nullopt;
}

void add_metrics(Answer& answer, const MetricHeaders& wanted, const Quota& quota,
                 std::int64_t elapsed_ms, const std::string& request_id) {
  const auto add = [&](const char* name, std::string value) {
    answer.headers.push_back({name, std::move(value)});
  };
  if (wanted.request_id) add("x-request-id", request_id);
  if (answer.status >= 400) return;
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
  if (wanted.timings && !answer.next) add("x-metrics-e2e-ms", std::to_string(elapsed_ms));
  if (wanted.timings && wanted.tokens) {
    add("x-metrics-ttft-ms", std::to_string(elapsed_ms));
    // Time between two tokens; a response sent at once has none.
    add("x-metrics-mean-itl-ms",
        fmt::format("{:.2f}", static_cast<double>(elapsed_ms) /
                                  static_cast<double>(std::max<std::int64_t>(1, answer.tokens))));
  }
}

}  // namespace

Dispatcher::Dispatcher(State& state, std::vector<Route> routes, AccessLog access_log)
    : m_state(state),
      m_meter(state),
      m_router(with_control(std::move(routes), {.faults = m_faults,
                                                .answers = state.answers(),
                                                .log = m_log,
                                                .reset_state = [this] { return reset_state(); }})),
      m_access_log(std::move(access_log)) {}

Dispatcher::Ticket Dispatcher::admit(const HttpCall& call) {
  Ticket ticket;
  ticket.begin_ms = m_state.now_ms();
  if (is_own_path(call.raw_path())) return ticket;
  ticket.number = m_log.add(call, ticket.begin_ms);
  ticket.plan = m_faults.plan({.method = call.method,
                               .path = call.raw_path(),
                               .is_key = [&](sv key) { return carries_key(m_state, call, key); },
                               .names_model = [&](sv model) { return names_model(call, model); }});
  return ticket;
}

Result<void> Dispatcher::reset_state() {
  m_meter.clear();
  if (m_seed) seed_ids(*m_seed);
  return m_state.reset();
}

void Dispatcher::use_seed(std::uint64_t seed) {
  m_seed = seed;
  seed_ids(seed);
}

void Dispatcher::finished(const HttpCall& call, const Ticket& ticket, int status) {
  if (ticket.number != 0) m_log.set_status(ticket.number, status);
  if (!m_access_log) return;
  m_access_log(fmt::format("{} {} {} {} ms", visible(call.method, Lines::Escape),
                           visible(call.raw_path(), Lines::Escape), status,
                           std::max<std::int64_t>(0, m_state.now_ms() - ticket.begin_ms)));
}

// Authenticates the caller; returns the refusal, if any.
std::optional<Answer> Dispatcher::check_caller(const HttpCall& call, Admission& admission) {
  const Route& route = *admission.found.route;
  if (route.key == KeyNeed::None) return std::nullopt;
  if (const auto secret = offered_secret(call)) {
    SVC_TRY(grant, authenticate_secret(m_state, *secret, route));
    admission.key = std::move(grant.key);
    admission.client_secret = std::move(grant.session);
    return refuse_spent(m_state, admission.key.team_id);
  }
  const sv authorization = call.header("Authorization");
  const bool management = route.key == KeyNeed::Management;
  SVC_TRY(key, management ? authenticate_management(m_state, authorization, admission.found.params)
                          : authenticate(m_state, authorization, route));
  admission.key = std::move(key);
  return management ? std::nullopt : refuse_spent(m_state, admission.key.team_id);
}

Dispatcher::Admission Dispatcher::check_head(const HttpCall& call) {
  Admission admission{m_router.find(call.method, call.raw_path())};
  if (admission.found.route == nullptr) {
    admission.refusal = admission.found.allowed.empty()
                            ? refuse_path(call)
                            : refuse_method(call, admission.found.allowed);
    return admission;
  }
  const Route& route = *admission.found.route;
  if (call.raw_path().starts_with(k_control_prefix)) {
    if (const std::string why = refuse_control(call); !why.empty()) {
      admission.refusal = refuse(403, "Forbidden", why);
      return admission;
    }
  }
  if ((admission.refusal = check_caller(call, admission))) return admission;
  if (needs_json(route) && !has_json_type(call)) admission.refusal = refuse_type();
  return admission;
}

std::optional<Answer> Dispatcher::refuse_head(const HttpCall& head) {
  auto refusal = check_head(head).refusal;
  if (refusal && is_management_path(head.raw_path())) return management::restyle(*refusal);
  return refusal;
}

void Dispatcher::received(const Ticket& ticket, std::string_view message, bool is_text) {
  if (ticket.number != 0) m_log.add_message(ticket.number, message, is_text);
}

Answer Dispatcher::run(HttpCall call, const Admission& admission, const std::string& request_id) {
  Call handled{std::move(call)};
  handled.path = percent_decoded(handled.raw_path());
  handled.params = admission.found.params;
  handled.query = parse_query(handled.target);
  handled.key = admission.key;
  handled.client_secret = admission.client_secret;
  handled.state = &m_state;
  handled.request_id = request_id;
  try {
    return admission.found.route->handler(handled);
  } catch (const std::exception& bug) {
    return refuse_internal(
        Error{Fault::Unexpected, fmt::format("The emulator has a fault: {}.", bug.what())});
  }
}

Answer Dispatcher::answer(HttpCall call, const Ticket& ticket) {
  // Control requests must not change the sequence of seeded IDs.
  const std::string request_id = is_own_path(call.raw_path()) ? random_uuid() : new_uuid();
  const bool management = is_management_path(call.raw_path());
  Admission admission = check_head(call);
  Quota quota;
  const auto finish = [&](Answer answer) {
    if (management) answer = management::restyle(std::move(answer));
    if (admission.found.route != nullptr) {
      const Route& route = *admission.found.route;
      add_metrics(answer, metric_headers(route.method, route.path), quota,
                  std::max<std::int64_t>(0, m_state.now_ms() - ticket.begin_ms), request_id);
    }
    return answer;
  };
  if (admission.refusal) return finish(*std::move(admission.refusal));
  const Route& route = *admission.found.route;
  if (needs_json(route)) {
    if (auto refusal = check_body(call)) return finish(*std::move(refusal));
  }
  const bool counted = route.key == KeyNeed::Usable;
  if (counted) quota = m_meter.count_call(admission.key, ticket.begin_ms);
  if (quota.refused) {
    return finish(refuse_exhausted(
        fmt::format("Rate limit of this API key reached. Try again in {} s.", quota.retry_after_s),
        quota.retry_after_s));
  }
  Answer answer = run(std::move(call), admission, request_id);
  if (counted && answer.tokens > 0) {
    quota = m_meter.add_tokens(admission.key, answer.tokens, ticket.begin_ms);
  }
  if (const auto booked = book_charges(m_state, admission.key.team_id, answer.charges); !booked) {
    return finish(refuse_internal(booked.error()));
  }
  return finish(std::move(answer));
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

Router::Found Router::find(std::string_view method, std::string_view raw_path) const {
  std::vector<std::string> segments;
  for (const sv part : split(raw_path, '/')) segments.push_back(percent_decoded(part));
  const std::string_view wanted = method == "HEAD" ? "GET" : method;
  Found found;
  std::size_t best = 0;
  std::map<std::string, std::string> params;
  for (const Row& row : m_rows) {
    if (!matches(row, segments, params)) continue;
    if (std::ranges::find(found.allowed, row.route.method) == found.allowed.end()) {
      found.allowed.push_back(row.route.method);
    }
    if (row.route.method != wanted) continue;
    if (found.route != nullptr && row.literal_size <= best) continue;
    found.route = &row.route;
    found.params = params;
    best = row.literal_size;
  }
  return found;
}

}  // namespace svc::emulator
