// Creating, listing, reading and deleting phone numbers.

#include <boost/asio/ip/network_v4.hpp>
#include <boost/asio/ip/network_v6.hpp>
#include <nlohmann/json.hpp>

#include "emulator/api/phone/phone.h"

namespace svc::emulator::phone {
namespace {

using text::Json;

constexpr sv k_provisioned = "svc_provisioned";
constexpr sv k_own_trunk = "byo_trunk";

/// The changes of an update mask. A path without a value clears its field.
struct NumberUpdate {
  std::vector<std::string> paths{};
  Json values{};
};

constexpr sv k_sip_host = "sip.emulator.invalid";

// phoneNumberId -> phone_number_id.
std::string snake_case(sv name) {
  std::string out;
  for (const char c : name) {
    if (c >= 'A' && c <= 'Z') out += '_';
    out += to_lower(sv(&c, 1));
  }
  return out;
}

Json with_snake_case(const Json& value) {
  if (value.is_array()) return text::json_list(value, with_snake_case);
  if (!value.is_object()) return value;
  Json object = Json::object();
  for (const auto& [name, item] : value.items()) object[snake_case(name)] = with_snake_case(item);
  return object;
}

// Checks the types of the body after converting its names to snake case.
Checked<Json> read_in_snake_case(const Request& request, sv type) {
  SVC_TRY(given, text::read_body(request, "any"));
  Request renamed;
  renamed.body = text::dump(with_snake_case(given));
  return text::read_body(renamed, type);
}

bool is_visible_ascii(char c) {
  return c > ' ' && c < '\x7F';
}

bool is_host_with_port(sv host) {
  if (host.starts_with('[')) {
    const auto end = host.find(']');
    return end != sv::npos && end > 1;
  }
  const auto colon = host.find(':');
  if (colon != sv::npos) {
    const auto port = parse_integer(host.substr(colon + 1));
    if (!port || *port < 1 || *port > 65535) return false;
    host = host.substr(0, colon);
  }
  return !host.empty() && std::ranges::all_of(host, [](char c) {
    return is_digit(c) || is_letter(c) || c == '.' || c == '-' || c == '_';
  });
}

std::optional<std::string> check_origin(const Json& body) {
  const bool own = text::get_string(body, "origin") == k_own_trunk;
  const std::string number = text::get_string(body, "phone_number");
  const std::string area = text::get_string(body, "area_code");
  if (own && number.empty()) return "phone_number is required when origin is byo_trunk.";
  if (own && !area.empty()) return "area_code is for origin svc_provisioned only.";
  if (!own && !number.empty()) return "phone_number is for origin byo_trunk only.";
  if (own && !is_e164(number)) {
    return fmt::format("phone_number must be in E.164 format, such as +14155550100, not {}.",
                       shown(number));
  }
  if (!area.empty() && (area.size() != 3 || !std::ranges::all_of(area, is_digit))) {
    return "area_code must be 3 digits.";
  }
  return std::nullopt;
}

std::optional<std::string> check_sip(const Json& sip) {
  const bool user = !text::get_string(sip, "auth_username").empty();
  if (user != !text::get_string(sip, "auth_password").empty()) {
    return "sip_auth.auth_username and sip_auth.auth_password must be given together.";
  }
  if (const Json* ranges = text::member(sip, "allowed_addresses")) {
    for (const Json& range : *ranges) {
      if (is_cidr(range.get_ref<const std::string&>())) continue;
      return fmt::format(
          "sip_auth.allowed_addresses must hold CIDR ranges such as 203.0.113.0/24, "
          "not {}.",
          shown(range.get_ref<const std::string&>()));
    }
  }
  return std::nullopt;
}

std::optional<std::string> check_webhook(const Json& hook) {
  if (!is_http_url(text::get_string(hook, "url"))) {
    return "webhook.url must be an http or https address.";
  }
  const std::string auth_url = text::get_string(hook, "auth_url");
  const std::string token = text::get_string(hook, "auth_token");
  if (!auth_url.empty() && token.empty()) {
    return "webhook.auth_url and webhook.auth_token must be given together.";
  }
  if (!auth_url.empty() && !is_http_url(auth_url)) {
    return "webhook.auth_url must be an http or https address.";
  }
  if (!std::ranges::all_of(token, is_visible_ascii)) {
    return "webhook.auth_token must be visible ASCII without blanks.";
  }
  return std::nullopt;
}

std::vector<std::string> mask_paths(const Json& body) {
  std::vector<std::string> paths;
  const Json* mask = text::member(body, "field_mask");
  if (mask == nullptr) return paths;
  const Json* list = text::member(*mask, "paths");
  if (mask->is_string()) {
    for (const sv path : split(mask->get_ref<const std::string&>(), ',')) {
      if (!trim(path).empty()) paths.push_back(snake_case(trim(path)));
    }
  } else if (list != nullptr && list->is_array()) {
    for (const Json& path : *list) {
      if (path.is_string()) paths.push_back(snake_case(path.get_ref<const std::string&>()));
    }
  }
  return paths;
}

// 400: an agent and a webhook cannot be combined.
Response conflicting_fields_error() {
  return invalid_argument_error(
      "agent_id and webhook are mutually exclusive: a number routes its calls "
      "to one of them.");
}

// Reads `number` and `webhook`, or returns which rule of POST /v2/phone-numbers the body breaks.
std::optional<Response> read_creation(const Json& body, Number& number,
                                      std::optional<Webhook>& webhook) {
  number.name = text::get_string(body, "name");
  number.origin = text::get_string(body, "origin");
  number.number = text::get_string(body, "phone_number");
  number.agent_id = text::get_string(body, "agent_id");
  if (const auto error = check_origin(body)) return invalid_argument_error(*error);
  if (const Json* sip = text::member(body, "sip_auth")) {
    if (const auto error = check_sip(*sip)) return invalid_argument_error(*error);
    number.auth_username = text::get_string(*sip, "auth_username");
    number.auth_password = text::get_string(*sip, "auth_password");
    if (const Json* ranges = text::member(*sip, "allowed_addresses")) {
      number.allowed_addresses = text::dump(*ranges);
    }
  }
  const Json* hook = text::member(body, "webhook");
  if (hook == nullptr) return std::nullopt;
  if (!number.agent_id.empty()) return conflicting_fields_error();
  if (const auto error = check_webhook(*hook)) return invalid_argument_error(*error);
  webhook.emplace();
  webhook->name = text::get_string(*hook, "name", number.name);
  webhook->url = text::get_string(*hook, "url");
  webhook->auth_url = text::get_string(*hook, "auth_url");
  webhook->auth_token = text::get_string(*hook, "auth_token");
  return std::nullopt;
}

// Refuses a body without wrapper and mask, and paths that cannot be updated.
Checked<NumberUpdate> read_number_update(const Request& request) {
  SVC_TRY(body, read_in_snake_case(request, "number_patch"));
  NumberUpdate update{mask_paths(body), text::copy_of(body, "phone_number")};
  if (update.paths.empty()) {
    return invalid_argument_error(
        "field_mask.paths must name what is to be updated: {\"phone_number\": {…}, \"field_mask\": "
        "{\"paths\": [\"name\"]}}.");
  }
  for (const std::string& path : update.paths) {
    const auto& known = text::request_type("number_update").members;
    if (has_element(known, path, &text::Member::name)) continue;
    return invalid_argument_error(fmt::format(
        "{} cannot be updated. Updatable: name, agent_id, webhook_id, outbound_sms_enabled.",
        shown(path)));
  }
  return update;
}

void apply_update(const NumberUpdate& update, Number& number) {
  for (const std::string& path : update.paths) {
    if (path == "name") number.name = text::get_string(update.values, path);
    if (path == "agent_id") number.agent_id = text::get_string(update.values, path);
    if (path == "webhook_id") number.webhook_id = text::get_string(update.values, path);
    if (path == "outbound_sms_enabled") number.sms = text::get_bool(update.values, path, false);
  }
}

// Omits the password, which is never returned.
Json number_json(const Number& number) {
  Json sip = Json::object();
  if (!number.auth_username.empty()) sip["auth_username"] = number.auth_username;
  sip["allowed_addresses"] = text::parse_json(number.allowed_addresses);
  return {{"phone_number_id", number.id},
          {"team_id", number.team_id},
          {"phone_number", number.number},
          {"name", number.name},
          {"agent_id", text::or_null(number.agent_id)},
          {"agent_name",
           number.agent_id.empty() ? Json() : Json(fmt::format("Agent {}", number.agent_id))},
          {"webhook_id", text::or_null(number.webhook_id)},
          {"origin", number.origin},
          {"outbound_sms_enabled", number.sms},
          {"sip_host", k_sip_host},
          {"inbound_trunk_id", "trunk_" + number.id.substr(number.id.find('_') + 1)},
          {"sip_auth", std::move(sip)},
          {"created_at", format_rfc3339(number.created_s)},
          {"updated_at", format_rfc3339(number.updated_s)}};
}

// Overrides the refusal below, to test how a client handles a provisioned number.
constexpr sv k_provision_header = "x-emulator-provision";

// Numbers reserved for fiction: 555-0100 to 555-0199. Empty if all are taken.
Result<std::string> free_number(Database& database, sv area_code) {
  for (int i = 100; i < 200; ++i) {
    std::string number = fmt::format("+1{}5550{}", area_code.empty() ? "415" : area_code, i);
    SVC_TRY(existing, find_dialled(database, number));
    if (!existing) return number;
  }
  return std::string();
}

Response number_registered_error(const Number& number) {
  return error_response(409, "Conflict",
                        fmt::format("The phone number {} is already registered.", number.number));
}

Result<Response> store_number(Database& database, Number& number,
                              const std::optional<Webhook>& webhook, sv area_code) {
  if (number.number.empty()) {
    SVC_TRY(free, free_number(database, area_code));
    if (free.empty()) return resource_exhausted_error("All numbers of that area are taken.");
    number.number = free;
  }
  if (webhook) number.webhook_id = webhook->id;
  SVC_TRY(is_new, insert_number(database, number));
  if (!is_new) return number_registered_error(number);
  if (webhook) SVC_CHECK(insert_webhook(database, *webhook));
  Json body = {{"phone_number", number_json(number)}};
  if (webhook) {
    // The secret is returned only here.
    body["webhook"] = {{"webhook_id", webhook->id}, {"dispatch_signing_secret", webhook->secret}};
  }
  return json_response(body);
}

// Runs `work(database, number)` on the number in the path, in one transaction.
template <typename Work>
Response with_number(const Request& request, Work&& work) {
  const std::string& id = request.params.at("phone_number_id");
  return response_or_error(request.state->change([&](Database& database) -> Result<Response> {
    SVC_TRY(number, find_number(database, request.key.team_id, id));
    if (!number) {
      return not_found_error(fmt::format("Phone number {} not found.", excerpt(id)));
    }
    return work(database, *number);
  }));
}

Response create_number(const Request& request) {
  SVC_TRY(body, read_in_snake_case(request, "number_create"));
  const bool provisioned = text::get_string(body, "origin") == k_provisioned;
  if (provisioned && !request.header(k_provision_header)) {
    return invalid_argument_error(
        "Provisioning a phone number is not available through the API. Buy the number in the "
        "console, or register one of your own with origin byo_trunk. (This emulator gives a number "
        "to a request with the header x-emulator-provision: 1.)");
  }
  Number number;
  std::optional<Webhook> webhook;
  if (auto error = read_creation(body, number, webhook)) return *error;
  number.id = "pn_" + request.state->new_uuid();
  number.team_id = request.key.team_id;
  number.created_s = number.updated_s = request.state->now_ms() / 1000;
  if (webhook) {
    webhook->id = "wh_" + request.state->new_uuid();
    webhook->team_id = request.key.team_id;
    webhook->secret = make_signing_secret();
  }
  return response_or_error(request.state->change([&](Database& database) {
    return store_number(database, number, webhook, text::get_string(body, "area_code"));
  }));
}

Response list_numbers(const Request& request) {
  SVC_TRY(numbers, checked(request.state->with([&](Database& database) {
            return all_numbers(database, request.key.team_id);
          })));
  return json_response({{"phone_numbers", text::json_list(numbers, number_json)}});
}

Response get_number(const Request& request) {
  return with_number(request, [](Database&, Number& number) -> Result<Response> {
    return json_response({{"phone_number", number_json(number)}});
  });
}

Response update_number_by_mask(const Request& request) {
  SVC_TRY(update, read_number_update(request));
  return with_number(request, [&](Database& database, Number& number) -> Result<Response> {
    apply_update(update, number);
    if (!number.webhook_id.empty()) {
      SVC_TRY(webhook, find_webhook(database, request.key.team_id, number.webhook_id));
      if (!webhook) {
        return invalid_argument_error(
            fmt::format("Webhook {} not found.", excerpt(number.webhook_id)));
      }
    }
    if (!number.webhook_id.empty() && !number.agent_id.empty()) return conflicting_fields_error();
    number.updated_s = request.state->now_ms() / 1000;
    SVC_CHECK(update_number(database, number));
    return json_response({{"phone_number", number_json(number)}});
  });
}

Response remove_number(const Request& request) {
  return with_number(request, [](Database& database, Number& number) -> Result<Response> {
    SVC_CHECK(delete_number(database, number));
    return json_response(Json::object());
  });
}

}  // namespace

std::vector<Route> number_routes() {
  constexpr const char* acl = "phone-numbers";
  const std::string one = "/v2/phone-numbers/{phone_number_id}";
  return {{"POST", "/v2/phone-numbers", create_number, acl},
          {"GET", "/v2/phone-numbers", list_numbers, acl},
          {"GET", one, get_number, acl},
          {"PATCH", one, update_number_by_mask, acl},
          {"DELETE", one, remove_number, acl}};
}

bool is_e164(sv text) {
  constexpr std::size_t k_max_digits = 15;
  if (text.size() < 3 || text.size() > k_max_digits + 1 || text[0] != '+' || text[1] == '0') {
    return false;
  }
  return std::ranges::all_of(text.substr(1), is_digit);
}

bool is_cidr(sv text) {
  // Larger numbers would wrap.
  if (text.find('%') != sv::npos || text.size() > text.find('/') + 4) return false;
  boost::system::error_code error;
  (void)boost::asio::ip::make_network_v4(text, error);
  if (error) (void)boost::asio::ip::make_network_v6(text, error);
  return !error;
}

bool is_call_target(sv text) {
  if (text.starts_with("tel:")) return is_e164(text.substr(4));
  if (!text.starts_with("sip:")) return false;
  text.remove_prefix(4);
  const auto at = text.find('@');
  return at != sv::npos && at > 0 && std::ranges::all_of(text, is_visible_ascii) &&
         is_host_with_port(text.substr(at + 1, text.find_first_of(";?", at) - at - 1));
}

bool is_http_url(sv text) {
  const auto colon = text.find("://");
  if (colon == sv::npos || !std::ranges::all_of(text, is_visible_ascii)) return false;
  const sv scheme = text.substr(0, colon);
  if (!equals_ignore_case(scheme, "http") && !equals_ignore_case(scheme, "https")) return false;
  const sv rest = text.substr(colon + 3);
  sv host = rest.substr(0, rest.find_first_of("/?#"));
  if (const auto at = host.rfind('@'); at != sv::npos) host = host.substr(at + 1);
  return is_host_with_port(host);
}

}  // namespace svc::emulator::phone
