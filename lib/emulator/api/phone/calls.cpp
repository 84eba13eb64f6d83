#include <ctime>

#include <nlohmann/json.hpp>

#include "audio/sound_file.h"
#include "base/digest.h"
#include "emulator/api/media/media.h"
#include "emulator/api/phone/phone.h"

namespace svc::emulator::phone {
namespace {

constexpr Table k_numbers(
    "phone_numbers",
    "seq, id, team_id, number, name, origin, agent_id, webhook_id, auth_username, auth_password,"
    " allowed_addresses, sms, created_s, updated_s",
    &Number::seq, &Number::id, &Number::team_id, &Number::number, &Number::name, &Number::origin,
    &Number::agent_id, &Number::webhook_id, &Number::auth_username, &Number::auth_password,
    &Number::allowed_addresses, &Number::sms, &Number::created_s, &Number::updated_s);
constexpr Table k_webhooks("phone_webhooks", "id, team_id, name, url, auth_url, auth_token, secret",
                           &Webhook::id, &Webhook::team_id, &Webhook::name, &Webhook::url,
                           &Webhook::auth_url, &Webhook::auth_token, &Webhook::secret);
constexpr sv k_call_columns =
    "id, team_id, number_id, caller, callee, state, created_ms, target_uri, keys, audio, event_id,"
    " deliveries, settled";

PhoneCall read_call_row(const Statement& row) {
  return {row.text(0),  row.text(1),    row.text(2),         row.text(3), row.text(4),
          row.text(5),  row.integer(6), row.text(7),         row.text(8), row.bytes(9),
          row.text(10), row.text(11),   row.integer(12) != 0};
}

Result<void> insert_call(Database& database, const PhoneCall& call) {
  return run_sql(database,
                 fmt::format("INSERT INTO phone_calls ({}) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?)",
                             k_call_columns),
                 call.id, call.team_id, call.number_id, call.caller, call.callee, call.state,
                 call.created_ms, call.target_uri, call.keys, Blob{call.audio}, call.event_id,
                 call.deliveries, std::int64_t{call.settled});
}

// Writes deliveries and settled.
Result<void> set_call_deliveries(Database& database, const PhoneCall& call) {
  return run_sql(database, "UPDATE phone_calls SET deliveries = ?, settled = ? WHERE id = ?",
                 call.deliveries, std::int64_t{call.settled}, call.id);
}

using media::HttpReply;
using text::Json;
using namespace std::chrono_literals;

constexpr sv k_secret_prefix = "whsec_";
// The service's retry schedule is unpublished; this is the emulator's own.
constexpr std::array<std::chrono::milliseconds, 3> k_pauses = {500ms, 2s, 8s};

// Returns the credential for the receiver: none, the token itself, or one obtained with it from
// auth_url, by OAuth 2.0's client credentials grant (RFC 6749, section 4.4).
Result<std::string> bearer_of(const Webhook& webhook) {
  if (webhook.auth_url.empty()) return webhook.auth_token;
  SVC_TRY(reply, media::post(webhook.auth_url,
                             fmt::format("Authorization: Bearer {}\r\nContent-Type: "
                                         "application/x-www-form-urlencoded\r\n",
                                         webhook.auth_token),
                             "grant_type=client_credentials"));
  std::string token = text::get_string(text::parse_json(reply.body), "access_token");
  if (reply.status / 100 != 2 || token.empty()) {
    return Error{Fault::Network,
                 fmt::format("auth_url answered with status {} and {} access_token.", reply.status,
                             token.empty() ? "no" : "an")};
  }
  return token;
}

Result<HttpReply> deliver(const WebhookCall& delivery) {
  SVC_TRY(bearer, bearer_of(delivery.webhook));
  // The real time: verifiers compare it with their own clock, which --clock does not change.
  const std::int64_t timestamp = std::time(nullptr) + delivery.timestamp_offset;
  const std::string secret =
      delivery.wrong_signature ? std::string("not the secret") : delivery.webhook.secret;
  std::string head = fmt::format(
      "Content-Type: application/json\r\nwebhook-id: {}\r\nwebhook-timestamp: {}\r\n"
      "webhook-signature: {}\r\n",
      delivery.event_id, timestamp,
      sign_delivery(secret, delivery.event_id, timestamp, delivery.body));
  if (!bearer.empty()) head += fmt::format("Authorization: Bearer {}\r\n", bearer);
  return media::post(delivery.webhook.url, head, delivery.body);
}

// Records an attempt with its call; returns true if the call is still active.
bool note_attempt(const WebhookCall& delivery, Json attempt, bool settled) {
  const auto recorded = delivery.state->change([&](Database& database) -> Result<bool> {
    SVC_TRY(call, find_call(database, delivery.call_id));
    if (!call) return false;
    Json list = text::parse_json(call->deliveries);
    list.push_back(std::move(attempt));
    call->deliveries = text::dump(list);
    call->settled = settled || call->is_over();
    SVC_CHECK(set_call_deliveries(database, *call));
    return !call->is_over();
  });
  return recorded && *recorded;
}

// Returns the body of `realtime.call.incoming`.
std::string incoming_event(const PhoneCall& call) {
  const Json event = {
      {"object", "event"},
      {"id", call.event_id},
      {"type", "realtime.call.incoming"},
      {"created_at", call.created_ms / 1000},
      {"data",
       {{"call_id", call.id},
        {"sip_headers",
         {{{"name", "From"}, {"value", call.caller}}, {{"name", "To"}, {"value", call.callee}}}},
        {"metadata", Json::object()}}}};
  return text::dump(event);
}

// Calls: they come in, are transferred, and end.

// Changes the state of the call in the path, if it is not over.
Response end_call(const Request& call, sv state, const std::string& target_uri) {
  const std::string& id = call.params.at("call_id");
  return response_or_error(call.state->change([&](Database& database) -> Result<Response> {
    SVC_TRY(found, live_call(find_call(database, id), call.key.team_id));
    found.state = state;
    found.target_uri = target_uri;
    SVC_CHECK(set_call_state(database, found));
    return Response{.body = "{}"};
  }));
}

// Interval at which spaces are sent while a delivery is pending.
constexpr std::chrono::milliseconds k_poll_delay{25};
constexpr sv k_usual_caller = "+14155550100";

Json call_json(const PhoneCall& call) {
  Json body = {{"call_id", call.id},
               {"from", call.caller},
               {"to", call.callee},
               {"state", call.state},
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
  SVC_TRY(body, text::read_body(call, "call_refer"));
  const std::string target = text::get_string(body, "target_uri");
  if (!is_call_target(target)) {
    return invalid_argument_error(fmt::format(
        "target_uri must be tel:+<E.164 number> or sip:<user>@<host>, not {}.", shown(target)));
  }
  return end_call(call, "transferred", target);
}

Response hang_up(const Request& call) {
  return end_call(call, "ended", "");
}

// POST /_emulator/calls: an incoming call, for scripts under test and `svc emulator call`.

Response simulate_call(const Request& call, const std::shared_ptr<WebhookSender>& sender) {
  SVC_TRY(body, text::read_body(call, "call_incoming"));
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
        fmt::format("Nobody has registered the phone number {}.", shown(incoming.callee)));
  }
  if (const auto& target = *webhook) {
    WebhookCall delivery{.state = call.state,
                         .owner = call.state->weak_from_this().lock(),
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
                          not_found_error(fmt::format("There is no call {}.", excerpt(id)))));
  return json_response(call_json(found));
}

}  // namespace

Result<void> insert_webhook(Database& database, const Webhook& webhook) {
  SVC_CHECK(k_webhooks.insert(database, webhook));
  return {};
}

Result<std::optional<Webhook>> find_webhook(Database& database, sv team_id, sv id) {
  return k_webhooks.first(database, "WHERE id = ? AND team_id = ?", id, team_id);
}

Result<bool> insert_number(Database& database, const Number& number) {
  SVC_TRY(added, k_numbers.insert(database, number, "INSERT OR IGNORE"));
  return added == 1;
}

Result<void> update_number(Database& database, const Number& number) {
  return k_numbers.replace(database, number);
}

Result<void> delete_number(Database& database, const Number& number) {
  SVC_CHECK(run_sql(database, "DELETE FROM phone_webhooks WHERE id = ? AND team_id = ?",
                    number.webhook_id, number.team_id));
  return run_sql(database, "DELETE FROM phone_numbers WHERE seq = ?", number.seq);
}

Result<std::optional<Number>> find_number(Database& database, sv team_id, sv id) {
  return k_numbers.first(database, "WHERE id = ? AND team_id = ?", id, team_id);
}

Result<std::optional<Number>> find_dialled(Database& database, sv number) {
  return k_numbers.first(database, "WHERE number = ?", number);
}

Result<std::vector<Number>> all_numbers(Database& database, sv team_id) {
  return k_numbers.all(database, "WHERE team_id = ? ORDER BY seq", team_id);
}

Result<std::optional<PhoneCall>> find_call(Database& database, sv id) {
  return first_row(database, read_call_row,
                   fmt::format("SELECT {} FROM phone_calls WHERE id = ?", k_call_columns), id);
}

Checked<PhoneCall> live_call(Result<std::optional<PhoneCall>> found, sv team_id) {
  SVC_TRY(call, found_or(std::move(found), invalid_argument_error("invalid call_id")));
  if (call.team_id != team_id) return invalid_argument_error("invalid call_id");
  if (call.is_over()) {
    return not_found_error(fmt::format("The call {} has already ended.", call.id));
  }
  return std::move(call);
}

Result<void> set_call_state(Database& database, const PhoneCall& call) {
  return run_sql(database, "UPDATE phone_calls SET state = ?, target_uri = ? WHERE id = ?",
                 call.state, call.target_uri, call.id);
}

std::string make_signing_secret() {
  return std::string(k_secret_prefix) + base64_encode(random_bytes(32));
}

std::string sign_delivery(sv secret, sv id, std::int64_t timestamp, sv body) {
  std::string key(secret);
  if (secret.starts_with(k_secret_prefix)) {
    if (auto decoded = base64_decode(secret.substr(k_secret_prefix.size()))) key = *decoded;
  }
  const std::string content = fmt::format("{}.{}.{}", id, timestamp, body);
  return "v1," + base64_encode(hmac_sha256(key, content));
}

WebhookSender::~WebhookSender() {
  {
    const std::lock_guard lock(m_mutex);
    m_stopped = true;
  }
  m_wake.notify_all();
  if (m_thread.joinable()) m_thread.join();
}

void WebhookSender::run() {
  std::unique_lock lock(m_mutex);
  while (!m_stopped) {
    const auto next = std::ranges::min_element(m_jobs, {}, &Job::due);
    if (next == m_jobs.end()) {
      m_wake.wait(lock);
    } else if (next->due > Clock::now()) {
      m_wake.wait_until(lock, next->due);
    } else {
      Job job = std::move(*next);
      m_jobs.erase(next);
      lock.unlock();
      attempt(std::move(job));
      lock.lock();
    }
  }
}

void WebhookSender::attempt(Job job) {
  const auto reply = deliver(job.delivery);
  const bool delivered = reply && reply->status / 100 == 2;
  if (delivered) {
    --job.delivery.copies;
    job.failures = 0;
  }
  // Deliberate errors would only be refused again.
  const bool forged = job.delivery.wrong_signature || job.delivery.timestamp_offset != 0;
  const bool again =
      delivered ? job.delivery.copies > 0 : !forged && job.failures < k_pauses.size();
  Json attempt = reply ? Json{{"status", reply->status}} : Json{{"error", reply.error().message}};
  if (!note_attempt(job.delivery, std::move(attempt), !again) || !again) return;
  if (!delivered) job.due = Clock::now() + k_pauses[job.failures++];
  const std::lock_guard lock(m_mutex);
  m_jobs.push_back(std::move(job));
}

}  // namespace svc::emulator::phone

auto svc::emulator::phone_routes() -> std::vector<Route> {
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
