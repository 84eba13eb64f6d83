#include "emulator/api/phone/webhook_sender.h"

#include <algorithm>
#include <array>
#include <ctime>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>

#include "base/base64.h"
#include "base/text.h"
#include "emulator/api/media/fetch.h"
#include "emulator/json/json.h"

namespace svc::emulator::phone {
namespace {

using media::HttpReply;
using text::Json;
using namespace std::chrono_literals;

constexpr std::string_view k_secret_prefix = "whsec_";
// The service's retry schedule is unpublished; this is the emulator's own.
constexpr std::array<std::chrono::milliseconds, 3> k_pauses = {500ms, 2s, 8s};

// Returns the credential for the receiver: none, the token itself, or one obtained with it from
// auth_url. That exchange is not published; this one is OAuth 2.0's client credentials grant (RFC
// 6749, section 4.4) with the token as its authorization.
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

Result<HttpReply> deliver(const Delivery& delivery) {
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
bool note_attempt(const Delivery& delivery, Json attempt, bool settled) {
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

}  // namespace

std::string make_signing_secret() {
  std::array<unsigned char, 32> bytes{};
  (void)RAND_bytes(bytes.data(), static_cast<int>(bytes.size()));
  return std::string(k_secret_prefix) +
         base64_encode({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

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

std::string sign_delivery(std::string_view secret, std::string_view id, std::int64_t timestamp,
                          std::string_view body) {
  std::string key(secret);
  if (secret.starts_with(k_secret_prefix)) {
    if (auto decoded = base64_decode(secret.substr(k_secret_prefix.size()))) key = *decoded;
  }
  const std::string content = fmt::format("{}.{}.{}", id, timestamp, body);
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()),
       reinterpret_cast<const unsigned char*>(content.data()), content.size(), digest.data(),
       &size);
  return "v1," + base64_encode({reinterpret_cast<const char*>(digest.data()), size});
}

WebhookSender::~WebhookSender() {
  {
    const std::lock_guard lock(m_mutex);
    m_stopped = true;
  }
  m_wake.notify_all();
  if (m_thread.joinable()) m_thread.join();
}

void WebhookSender::send(Delivery delivery) {
  const std::lock_guard lock(m_mutex);
  m_jobs.push_back({std::move(delivery), Clock::now()});
  if (!m_thread.joinable()) m_thread = std::thread([this] { run(); });  // the courier
  m_wake.notify_all();
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
  job.due = Clock::now();
  if (!delivered) job.due += k_pauses[job.failures++];
  const std::lock_guard lock(m_mutex);
  m_jobs.push_back(std::move(job));
}

}  // namespace svc::emulator::phone
