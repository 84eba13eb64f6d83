// Calls: they come in, are transferred, and end.
#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "audio/sound_file.h"
#include "base/base64.h"
#include "base/text.h"
#include "emulator/api/phone/numbers.h"
#include "emulator/api/phone/store.h"
#include "emulator/api/phone/webhook_sender.h"
#include "emulator/handler/handler.h"
#include "emulator/handler/routes.h"
#include "emulator/json/check.h"
#include "emulator/json/json.h"

namespace svc::emulator::phone {
namespace {

const text::Types k_refer_types("refer = {target_uri!}");

// Changes the state of the call in the path. An unknown call is as invalid as a malformed ID; an
// ended one is gone.
Response end_call(const Request& call, CallState state, const std::string& target_uri) {
  const std::string& id = call.params.at("call_id");
  return response_or_error(call.state->change([&](Database& database) -> Result<Response> {
    SVC_TRY(found, live_call(find_call(database, id), call.key.team_id));
    found.state = state;
    found.target_uri = target_uri;
    SVC_CHECK(set_call_state(database, found));
    Response response;
    response.body = "{}";
    return response;
  }));
}

using text::Json;

// Interval at which spaces are sent while a delivery is pending.
constexpr std::chrono::milliseconds k_poll_delay{25};
constexpr std::string_view k_usual_caller = "+14155550100";

const text::Types k_call_types(R"(
call = {to!, from, input, dtmf, deliveries: count, wrong_signature: boolean,
        timestamp_offset: integer, wait: boolean}
)");

Json call_json(const PhoneCall& call) {
  Json body = {{"call_id", call.id},
               {"from", call.caller},
               {"to", call.callee},
               {"state", call_state_name(call.state)},
               {"target_uri", text::or_null(call.target_uri)},
               {"webhook", nullptr}};
  if (call.event_id.empty()) return body;
  const Json attempts = text::parse_json(call.deliveries);
  const bool delivered = std::ranges::any_of(attempts, [](const Json& attempt) {
    return text::get_integer(attempt, "status").value_or(0) / 100 == 2;
  });
  body["webhook"] = {{"id", call.event_id},
                     {"delivered", delivered},
                     {"settled", call.settled},
                     {"attempts", attempts}};
  return body;
}

std::optional<std::string> read_caller(const Json& body, PhoneCall& call) {
  call.callee = text::get_string(body, "to");
  call.caller = text::get_string(body, "from", k_usual_caller);
  call.keys = text::get_string(body, "dtmf");
  if (call.keys.find_first_not_of("0123456789*#ABCD,") != std::string::npos ||
      std::ranges::count(call.keys, ',') > 1) {
    return "dtmf holds the keys 0 to 9, *, # and A to D only, and one comma where the caller "
           "speaks.";
  }
  const std::string audio = text::get_string(body, "input");
  auto bytes = base64_decode(audio);
  if (!bytes) return "input must be a WAV file as base64.";
  if (!audio.empty()) {
    const auto reader = audio::open_sound_bytes(*bytes, "input", {});
    if (!reader) return reader.error().message;
  }
  call.audio = std::move(*bytes);
  return std::nullopt;
}

Result<std::optional<Webhook>> begin_call(Database& database, const Number& number,
                                          const std::string& event_id, PhoneCall& call) {
  call.team_id = number.team_id;
  call.number_id = number.id;
  std::optional<Webhook> webhook;
  if (!number.webhook_id.empty()) {
    SVC_TRY(found, find_webhook(database, number.team_id, number.webhook_id));
    webhook = std::move(found);
  }
  if (webhook) {
    call.event_id = event_id;
    call.settled = false;
  }
  SVC_CHECK(insert_call(database, call));
  return webhook;
}

Result<std::optional<PhoneCall>> look_up(State& state, const std::string& id) {
  return state.with([&](Database& database) { return find_call(database, id); });
}

// Responds when the delivery is settled. Until then spaces are sent, which may precede a JSON
// document: no thread blocks, and a disconnected client is noticed.
Response respond_when_settled(const Request& call, const std::string& id) {
  Response response;
  response.next = [state = call.state, id, done = false]() mutable -> std::optional<StreamChunk> {
    if (done) return std::nullopt;
    const auto found = look_up(*state, id);
    if (!found || !*found) return std::nullopt;
    done = (*found)->settled;
    if (!done) return StreamChunk{" ", k_poll_delay};
    return StreamChunk{text::dump(call_json(**found))};
  };
  return response;
}

Response refer_call(const Request& call) {
  SVC_TRY(body, text::read_body(call, k_refer_types["refer"]));
  const std::string target = text::get_string(body, "target_uri");
  if (!is_call_target(target)) {
    return invalid_argument_error(fmt::format(
        "target_uri must be tel:+<E.164 number> or sip:<user>@<host>, not {}.", shown(target, 80)));
  }
  return end_call(call, CallState::Transferred, target);
}

Response hang_up(const Request& call) {
  return end_call(call, CallState::Ended, "");
}

// POST /_emulator/calls: simulates an incoming call, for scripts under test and `svc emulator
// call`.

Response simulate_call(const Request& call, const std::shared_ptr<WebhookSender>& sender) {
  SVC_TRY(body, text::read_body(call, k_call_types["call"]));
  PhoneCall incoming;
  if (const auto fault = read_caller(body, incoming)) return invalid_argument_error(*fault);
  incoming.id = call.state->new_uuid();
  const std::string event_id = "evt_" + replace_all(call.state->new_uuid(), "-", "");
  incoming.created_ms = call.state->now_ms();
  SVC_TRY(webhook, checked(call.state->change(
                       [&](Database& database) -> Result<std::optional<std::optional<Webhook>>> {
                         SVC_TRY(number, find_dialled(database, incoming.callee));
                         if (!number) return std::optional<std::optional<Webhook>>{};
                         SVC_TRY(found, begin_call(database, *number, event_id, incoming));
                         return std::make_optional(std::move(found));
                       })));
  if (!webhook) {
    return not_found_error(
        fmt::format("Nobody has registered the phone number {}.", shown(incoming.callee, 40)));
  }
  if (const auto& target = *webhook) {
    Delivery delivery{.state = call.state,
                      .call_id = incoming.id,
                      .event_id = incoming.event_id,
                      .webhook = *target,
                      .body = incoming_event(incoming)};
    delivery.copies = static_cast<int>(
        std::clamp<std::int64_t>(text::get_integer(body, "deliveries").value_or(1), 1, 10));
    delivery.wrong_signature = text::get_bool(body, "wrong_signature", false);
    delivery.timestamp_offset = std::clamp<std::int64_t>(
        text::get_integer(body, "timestamp_offset").value_or(0), -1'000'000'000, 1'000'000'000);
    sender->send(std::move(delivery));
    if (text::get_bool(body, "wait", true)) return respond_when_settled(call, incoming.id);
  }
  return json_response(call_json(incoming));
}

Response show_call(const Request& call) {
  const std::string& id = call.params.at("call_id");
  SVC_TRY(found, found_or(look_up(*call.state, id),
                          not_found_error(fmt::format("There is no call {}.", excerpt(id, 60)))));
  return json_response(call_json(found));
}

}  // namespace
}  // namespace svc::emulator::phone

namespace svc::emulator {

std::vector<Route> phone_routes() {
  constexpr const char* acl = "realtime";
  const std::string call_path = "/v1/realtime/calls/{call_id}";
  const auto sender = std::make_shared<phone::WebhookSender>();
  Route incoming{"POST", "/_emulator/calls",
                 [sender](const Request& call) { return phone::simulate_call(call, sender); }};
  Route shown{"GET", "/_emulator/calls/{call_id}", phone::show_call};
  incoming.key = shown.key = KeyRequirement::None;
  std::vector<Route> routes = phone::number_routes();
  routes.push_back({"POST", call_path + "/refer", phone::refer_call, acl});
  routes.push_back({"POST", call_path + "/hangup", phone::hang_up, acl, Input::Free});
  routes.push_back(std::move(incoming));
  routes.push_back(std::move(shown));
  return routes;
}

}  // namespace svc::emulator
