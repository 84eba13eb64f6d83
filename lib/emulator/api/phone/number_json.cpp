#include "emulator/api/phone/number_json.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "base/text.h"
#include "emulator/api/phone/check.h"
#include "emulator/json/check_tables.h"
#include "emulator/model/rules.h"

namespace svc::emulator::phone {
namespace {

using text::Member;
using text::refuse_argument;
using text::Shape;
using text::Type;

constexpr sv k_sip_host = "sip.emulator.invalid";

constexpr std::array<sv, 2> k_origins = {k_provisioned, k_own_trunk};
constexpr Type k_origin{.shape = Shape::Word, .words = k_origins};
constexpr std::array k_sip_members = {Member{"auth_username", &text::k_text},
                                      Member{"auth_password", &text::k_text},
                                      Member{"allowed_addresses", &text::k_texts}};
constexpr Type k_sip{.shape = Shape::Object, .members = k_sip_members};
constexpr std::array k_hook_members = {
    Member{"name", &text::k_text}, Member{"url", &text::k_text, true},
    Member{"auth_url", &text::k_text}, Member{"auth_token", &text::k_text}};
constexpr Type k_hook{.shape = Shape::Object, .members = k_hook_members};
constexpr std::array k_create_members = {Member{"origin", &k_origin, true},
                                         Member{"name", &text::k_text, true},
                                         Member{"agent_id", &text::k_text},
                                         Member{"area_code", &text::k_text},
                                         Member{"phone_number", &text::k_text},
                                         Member{"sip_auth", &k_sip},
                                         Member{"webhook", &k_hook}};
constexpr Type k_create_number{.shape = Shape::Object, .members = k_create_members};

constexpr std::array k_update_members = {
    Member{"name", &text::k_text}, Member{"agent_id", &text::k_text},
    Member{"webhook_id", &text::k_text}, Member{"outbound_sms_enabled", &text::k_boolean}};
constexpr Type k_update_number{.shape = Shape::Object, .members = k_update_members};
// The mask is an object with `paths`; one client writes a text.
constexpr std::array k_patch_members = {Member{"phone_number", &k_update_number},
                                        Member{"field_mask", &text::k_any}};
constexpr Type k_patch{.shape = Shape::Object, .members = k_patch_members};

// phoneNumberId -> phone_number_id.
std::string snake_case(sv name) {
  std::string out;
  for (const char c : name) {
    if (c >= 'A' && c <= 'Z') {
      out += '_';
      out += static_cast<char>(c - 'A' + 'a');
    } else {
      out += c;
    }
  }
  return out;
}

Json with_snake_case(const Json& value) {
  if (value.is_array()) {
    Json list = Json::array();
    for (const Json& item : value) list.push_back(with_snake_case(item));
    return list;
  }
  if (!value.is_object()) return value;
  Json object = Json::object();
  for (const auto& [name, item] : value.items()) object[snake_case(name)] = with_snake_case(item);
  return object;
}

// The types are checked on the body with its names mended, in a text that was laid out again.
Json read_mended(const Call& call, const Type& type, std::optional<Answer>& refusal) {
  const Json given = text::read_body(call, text::k_any, refusal);
  if (refusal) return nullptr;
  Call mended;
  mended.body = text::dump(with_snake_case(given));
  return text::read_body(mended, type, refusal);
}

bool is_header_text(sv text) {
  return std::ranges::all_of(text, [](char c) { return c > ' ' && c < '\x7F'; });
}

std::optional<std::string> origin_fault(const Json& body) {
  const bool own = text::text_of(body, "origin") == k_own_trunk;
  const std::string number = text::text_of(body, "phone_number");
  const std::string area = text::text_of(body, "area_code");
  if (own && number.empty()) return "phone_number is required when origin is byo_trunk.";
  if (own && !area.empty()) return "area_code is for origin svc_provisioned only.";
  if (!own && !number.empty()) return "phone_number is for origin byo_trunk only.";
  if (own && !is_e164(number)) {
    return fmt::format("phone_number must be in E.164 format, such as +14155550100, not {}.",
                       visible(excerpt(number, 40), Lines::Escape));
  }
  const bool digits = std::ranges::all_of(area, [](char c) { return c >= '0' && c <= '9'; });
  if (!area.empty() && (area.size() != 3 || !digits)) return "area_code must be 3 digits.";
  return std::nullopt;
}

std::optional<std::string> sip_fault(const Json& sip) {
  const bool user = !text::text_of(sip, "auth_username").empty();
  if (user != !text::text_of(sip, "auth_password").empty()) {
    return "sip_auth.auth_username and sip_auth.auth_password must be given together.";
  }
  if (const Json* ranges = text::member(sip, "allowed_addresses")) {
    for (const Json& range : *ranges) {
      if (is_cidr(range.get_ref<const std::string&>())) continue;
      return fmt::format(
          "sip_auth.allowed_addresses must hold CIDR ranges such as 203.0.113.0/24, "
          "not {}.",
          visible(excerpt(range.get_ref<const std::string&>(), 60), Lines::Escape));
    }
  }
  return std::nullopt;
}

std::optional<std::string> hook_fault(const Json& hook) {
  if (!is_web_address(text::text_of(hook, "url"))) {
    return "webhook.url must be an http or https address.";
  }
  const std::string auth_url = text::text_of(hook, "auth_url");
  const std::string token = text::text_of(hook, "auth_token");
  if (!auth_url.empty() && token.empty()) {
    return "webhook.auth_url and webhook.auth_token must be given together.";
  }
  if (!auth_url.empty() && !is_web_address(auth_url)) {
    return "webhook.auth_url must be an http or https address.";
  }
  if (!is_header_text(token)) return "webhook.auth_token must be visible ASCII without blanks.";
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

}  // namespace

Json read_number_body(const Call& call, std::optional<Answer>& refusal) {
  return read_mended(call, k_create_number, refusal);
}

Answer refuse_both() {
  return refuse_argument(
      "agent_id and webhook are mutually exclusive: a number routes its calls "
      "to one of them.");
}

std::optional<Answer> read_creation(const Json& body, Number& number,
                                    std::optional<Webhook>& webhook) {
  number.name = text::text_of(body, "name");
  number.origin = text::text_of(body, "origin");
  number.number = text::text_of(body, "phone_number");
  number.agent_id = text::text_of(body, "agent_id");
  if (trim(number.name).empty()) return refuse_argument("name must not be empty.");
  if (const auto fault = origin_fault(body)) return refuse_argument(*fault);
  if (const Json* sip = text::member(body, "sip_auth")) {
    if (const auto fault = sip_fault(*sip)) return refuse_argument(*fault);
    number.auth_username = text::text_of(*sip, "auth_username");
    number.auth_password = text::text_of(*sip, "auth_password");
    if (const Json* ranges = text::member(*sip, "allowed_addresses")) {
      number.allowed_addresses = text::dump(*ranges);
    }
  }
  const Json* hook = text::member(body, "webhook");
  if (hook == nullptr) return std::nullopt;
  if (!number.agent_id.empty()) return refuse_both();
  if (const auto fault = hook_fault(*hook)) return refuse_argument(*fault);
  webhook.emplace();
  webhook->name = text::text_of(*hook, "name", number.name);
  webhook->url = text::text_of(*hook, "url");
  webhook->auth_url = text::text_of(*hook, "auth_url");
  webhook->auth_token = text::text_of(*hook, "auth_token");
  return std::nullopt;
}

NumberUpdate read_number_update(const Call& call, std::optional<Answer>& refusal) {
  NumberUpdate update;
  const Json body = read_mended(call, k_patch, refusal);
  if (refusal) return update;
  update.paths = mask_paths(body);
  if (update.paths.empty()) {
    refusal = refuse_argument(
        "field_mask.paths must name what is to be updated: {\"phone_number\": {…}, \"field_mask\": "
        "{\"paths\": [\"name\"]}}.");
    return update;
  }
  for (const std::string& path : update.paths) {
    if (std::ranges::find(k_update_members, path, &Member::name) != k_update_members.end())
      continue;
    refusal =
        refuse_argument(fmt::format("{} cannot be updated. Updatable: name, agent_id, "
                                    "webhook_id, outbound_sms_enabled.",
                                    visible(excerpt(path, 60), Lines::Escape)));
    return update;
  }
  if (const Json* values = text::member(body, "phone_number")) {
    update.name = text::text_of(*values, "name");
    update.agent_id = text::text_of(*values, "agent_id");
    update.webhook_id = text::text_of(*values, "webhook_id");
    update.sms = text::flag_of(*values, "outbound_sms_enabled", false);
  }
  return update;
}

void apply_update(const NumberUpdate& update, Number& number) {
  for (const std::string& path : update.paths) {
    if (path == "name") number.name = update.name;
    if (path == "agent_id") number.agent_id = update.agent_id;
    if (path == "webhook_id") number.webhook_id = update.webhook_id;
    if (path == "outbound_sms_enabled") number.sms = update.sms;
  }
}

Json number_json(const Number& number) {
  const auto or_null = [](const std::string& text) { return text.empty() ? Json() : Json(text); };
  Json sip = Json::object();
  if (!number.auth_username.empty()) sip["auth_username"] = number.auth_username;
  sip["allowed_addresses"] = text::parse_json(number.allowed_addresses);
  return {{"phone_number_id", number.id},
          {"team_id", number.team_id},
          {"phone_number", number.number},
          {"name", number.name},
          {"agent_id", or_null(number.agent_id)},
          {"agent_name",
           number.agent_id.empty() ? Json() : Json(fmt::format("Agent {}", number.agent_id))},
          {"webhook_id", or_null(number.webhook_id)},
          {"origin", number.origin},
          {"outbound_sms_enabled", number.sms},
          {"sip_host", k_sip_host},
          {"inbound_trunk_id", "trunk_" + number.id.substr(number.id.find('_') + 1)},
          {"sip_auth", std::move(sip)},
          {"created_at", format_rfc3339(number.created_s)},
          {"updated_at", format_rfc3339(number.updated_s)}};
}

}  // namespace svc::emulator::phone
