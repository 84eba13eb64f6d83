#include <nlohmann/json.hpp>

#include "base/atomic_file.h"
#include "base/files.h"
#include "emulator/account/ledger.h"
#include "emulator/server/dispatch.h"

namespace svc::emulator {
namespace {

using text::Json;

Response list_faults(const Request& call) {
  return json_response(
      {{"faults", text::json_list(call.controls->faults.entries(), [&](const auto& entry) -> Json {
          return {{"rule", entry.rule.text}, {"matched", entry.seen}, {"applied", entry.applied}};
        })}});
}

Response add_faults(const Request& call) {
  const Json body = Json::parse(call.body, nullptr, false);
  if (!body.is_array()) {
    return invalid_argument_error("The body must be a JSON array of fault rules, each a string.");
  }
  std::vector<FaultRule> rules;
  for (const Json& item : body) {
    if (!item.is_string()) return invalid_argument_error("Each fault rule must be a string.");
    auto rule = parse_fault(item.get_ref<const std::string&>());
    if (!rule) return invalid_argument_error(sentences_of(rule.error()));
    rules.push_back(std::move(*rule));
  }
  const auto added = call.controls->faults.add(std::move(rules));
  return added ? list_faults(call) : invalid_argument_error(sentences_of(added.error()));
}

Response list_answers(const Request& call) {
  return json_response(
      {{"answers", text::json_list(call.controls->answers.entries(), [](const auto& entry) -> Json {
          return {{"id", entry.id},
                  {"rule", Json::parse(entry.rule.text, nullptr, false)},
                  {"matched", entry.seen},
                  {"used", entry.used}};
        })}});
}

Response add_answers(const Request& call) {
  auto rules = parse_answers(call.body);
  const auto added =
      rules ? call.controls->answers.add(std::move(*rules)) : Result<void>(rules.error());
  return added ? list_answers(call) : invalid_argument_error(sentences_of(added.error()));
}

Response delete_answers(const Request& call) {
  const auto id = call.query_value("id");
  if (!id) call.controls->answers.clear();
  if (id && !call.controls->answers.remove(parse_integer(*id).value_or(0))) {
    return not_found_error(fmt::format("There is no answer rule {}.", visible(*id)));
  }
  return list_answers(call);
}

// Reads the body's fields; an empty body has none. Others than `known` are refused.
Checked<Json> read_fields(const Request& call, std::initializer_list<sv> known) {
  Json body = call.body.empty() ? Json::object() : Json::parse(call.body, nullptr, false);
  if (!body.is_object()) return invalid_argument_error("The body must be a JSON object.");
  for (const auto& [name, value] : body.items()) {
    if (has_element(known, sv(name))) continue;
    return invalid_argument_error(fmt::format("There is no field {}; the fields are {}.",
                                              visible(name), join(std::vector<sv>(known), ", ")));
  }
  return body;
}

Response reset(const Request& call) {
  SVC_TRY(body, read_fields(call, {"seed", "clock"}));
  const auto seed = text::get_integer(body, "seed");
  const auto clock = parse_rfc3339(text::get_string(body, "clock"));
  if ((body.contains("seed") && (!seed || *seed < 0)) || (body.contains("clock") && !clock)) {
    return invalid_argument_error(
        "seed must be an integer of at least 0, and clock a time such as 2026-01-01T00:00:00Z.");
  }
  Controls& controls = *call.controls;
  controls.faults.clear();
  controls.answers.clear();
  controls.log.clear();
  const auto done =
      controls.reset(seed ? std::optional(static_cast<std::uint64_t>(*seed)) : std::nullopt, clock);
  if (!done) return internal_error(done.error());
  return json_response(Json::object());
}

Response verify(const Request& call) {
  const auto check = parse_check(call.body);
  if (!check) return invalid_argument_error(sentences_of(check.error()));
  const auto known = call.controls->answers.check_operation(check->match);
  if (!known) return invalid_argument_error(sentences_of(known.error()));
  const auto count = call.controls->answers.verify(*check);
  if (!count) return error_response(409, "emulator_verify_failed", count.error().message);
  return json_response({{"count", *count}});
}

Response show_clock(const Request& call) {
  const std::int64_t now_ms = call.state->now_ms();
  return json_response({{"now", format_rfc3339(now_ms / 1000)}, {"now_ms", now_ms}});
}

Response advance_clock(const Request& call) {
  SVC_TRY(body, read_fields(call, {"advance"}));
  const auto time = parse_duration(text::get_string(body, "advance"));
  if (!time) {
    return invalid_argument_error("advance must be a duration such as 30s, 10m, 24h or 30d.");
  }
  call.state->advance(*time);
  return show_clock(call);
}

Response list_limits(const Request& call) {
  Json limits = Json::object();
  for (const Limit& limit : default_limits()) {
    SVC_TRY(value, checked(call.state->with(
                       [&](Database& database) { return limit_of(database, limit.name); })));
    limits[std::string(limit.name)] = value;
  }
  return json_response(limits);
}

Response set_limits(const Request& call) {
  const Json body = Json::parse(call.body, nullptr, false);
  if (!body.is_object()) return invalid_argument_error("The body must be a JSON object.");
  std::vector<std::pair<std::string, std::int64_t>> limits;
  for (const auto& [name, value] : body.items()) {
    if (!value.is_number_integer()) {
      return invalid_argument_error(fmt::format("{} must be an integer.", visible(name)));
    }
    limits.emplace_back(name, value.get<std::int64_t>());
  }
  const auto set = call.state->set_limits(limits);
  if (!set) return invalid_argument_error(set.error().message);
  if (const auto credit = text::get_integer(body, "credit_cents")) {  // also of a team that exists
    SVC_CHECK(checked(billing::set_credit(*call.state, *credit)));
  }
  return list_limits(call);
}

Response export_state(const Request& call) {
  const TemporaryFile file(".db");
  SVC_CHECK(checked(call.state->save(file.path())));
  SVC_TRY(bytes, checked(read_file(file.path())));
  return Response{.content_type = "application/vnd.sqlite3", .body = std::move(bytes)};
}

Response import_state(const Request& call) {
  const TemporaryFile file(".db");
  SVC_CHECK(checked(write_file(file.path(), call.body, Replace::Yes, 0600)));
  const auto loaded = call.state->load(file.path());
  if (!loaded && loaded.error().fault == Fault::Usage) {
    return invalid_argument_error(loaded.error().message);
  }
  return loaded ? json_response(Json::object()) : internal_error(loaded.error());
}

// `bytes`: the size of the whole, of which `body` is the beginning.
void describe_body(Json& out, const std::string& name, const std::string& body,
                   std::uint64_t bytes) {
  out[name + "_bytes"] = bytes;
  out[name + "_cut"] = body.size() < bytes;
  // A truncated body may end inside a character; that does not make it binary.
  const auto invalid = first_invalid_utf8(body);
  if (!invalid || (body.size() < bytes && body.size() - *invalid < 4)) {
    out[name] = body.substr(0, invalid.value_or(body.size()));
  } else {
    out[name + "_base64"] = base64_encode(body);
  }
}

Json describe(const LoggedRequest& request) {
  const auto mark = request.target.find('?');
  Json headers = Json::array();
  for (const Header& header : request.headers) headers.push_back({header.name, header.value});
  Json out = {{"number", request.number},
              {"time_ms", request.time_ms},
              {"method", request.method},
              {"path", request.target.substr(0, mark)},
              {"query", mark == std::string::npos ? "" : request.target.substr(mark + 1)},
              {"headers", std::move(headers)},
              {"status", request.status == 0 ? Json() : Json(request.status)}};
  if (request.status == 101) {
    out["messages"] = request.messages;
    out["binary_bytes"] = request.binary_bytes;
  }
  describe_body(out, "body", request.body, request.body_bytes);
  describe_body(out, "response", request.response, request.response_bytes);
  return out;
}

Response list_requests(const Request& call) {
  std::uint64_t since = 0;
  if (const auto given = call.query_value("since")) {
    const auto number = parse_integer(*given);
    if (!number || *number < 0) {
      return invalid_argument_error(
          fmt::format("since must be the number of a request, not {}.", visible(*given)));
    }
    since = static_cast<std::uint64_t>(*number);
  }
  return json_response({{"requests", text::json_list(call.controls->log.since(since), describe)},
                        {"last", call.controls->log.last()}});
}

// "127.0.0.1:80", "[::1]:80", "localhost".
bool names_this_machine(sv host) {
  if (host.starts_with("[::1]")) return true;
  host = host.substr(0, host.find(':'));
  const bool number = host.find_first_not_of("0123456789.") == sv::npos;  // no name in the DNS
  return equals_ignore_case(host, "localhost") || (number && host.starts_with("127."));
}

}  // namespace

std::vector<Route> control_routes() {
  using Work = Response (*)(const Request&);
  const auto row = [](std::string method, std::string path, Work work, Input input = Input::Json) {
    return Route{.method = std::move(method),
                 .path = std::move(path),
                 .handler = work,
                 .input = input,
                 .key = KeyRequirement::None};
  };
  std::vector<Route> routes = {
      row("GET", "/_emulator/faults", list_faults),
      row("POST", "/_emulator/faults", add_faults),
      row("DELETE", "/_emulator/faults",
          [](const Request& call) {
            call.controls->faults.clear();
            return list_faults(call);
          }),
      row("GET", "/_emulator/answers", list_answers),
      row("POST", "/_emulator/answers", add_answers),
      row("DELETE", "/_emulator/answers", delete_answers),
      row("GET", "/_emulator/requests", list_requests),
      row("DELETE", "/_emulator/requests",
          [](const Request& call) {
            call.controls->log.clear();
            call.controls->answers.forget();
            return list_requests(call);
          }),
      row("POST", "/_emulator/verify", verify),
      row("POST", "/_emulator/reset", reset, Input::Free),
      row("GET", "/_emulator/clock", show_clock),
      row("POST", "/_emulator/clock", advance_clock),
      row("GET", "/_emulator/limits", list_limits),
      row("POST", "/_emulator/limits", set_limits),
      row("GET", "/_emulator/state", export_state),
      row("PUT", "/_emulator/state", import_state, Input::Free),
      row("GET", "/_emulator/scopes",
          [](const Request& call) { return json_response(call.controls->scopes()); }),
      row("GET", "/",
          [](const Request&) {
            return Response{.headers = {{"Content-Security-Policy",
                                         "default-src 'none'; style-src 'unsafe-inline'; "
                                         "script-src 'unsafe-inline'; connect-src 'self'"}},
                            .content_type = "text/html; charset=utf-8",
                            .body = std::string(text::embedded_file("page.html"))};
          }),
      row("GET", "/health", [](const Request&) {
        return json_response({{"status", "ok"}});
      })};
  routes[5].query = {"id"};
  routes[6].query = {"since"};
  return routes;
}

std::string check_control_access(const HttpRequest& call, sv token) {
  // A web page that the user visits can reach loopback addresses: it must not control anything.
  if (!call.header("Origin").empty()) {
    return "The emulator's control operations do not accept requests from web pages.";
  }
  if (!token.empty() && call.header("X-Control-Token") == token) return {};
  if (!call.from_loopback) {
    return token.empty() ? "The emulator's control operations accept requests from this machine "
                           "only. --control-token lets other machines control it."
                         : "The emulator's control operations accept requests from other machines "
                           "only with the header X-Control-Token.";
  }
  if (!names_this_machine(call.header("Host"))) {
    return "The emulator's control operations require localhost or a loopback address as the "
           "host.";
  }
  return {};
}

}  // namespace svc::emulator
