// Phone numbers, their webhooks, and simulated calls.
#pragma once

#include <condition_variable>
#include <thread>

#include "emulator/state/state.h"

namespace svc::emulator::phone {

/// The target of `realtime.call.incoming`.
struct Webhook {
  std::string id{}, team_id{}, name{}, url{};
  std::string auth_url{};    ///< empty: auth_token itself is the bearer token
  std::string auth_token{};  ///< empty: deliveries have no credentials
  std::string secret{};      ///< "whsec_…"
};

struct Number {
  std::int64_t seq = 0;
  std::string id{}, team_id{};
  std::string number{};  ///< E.164
  std::string name{}, origin{};
  std::string agent_id{};    ///< empty: none
  std::string webhook_id{};  ///< empty: none
  std::string auth_username{}, auth_password{};
  std::string allowed_addresses = "[]";  ///< a JSON array as text
  bool sms = false;                      ///< outbound_sms_enabled
  std::int64_t created_s = 0, updated_s = 0;
};

struct PhoneCall {
  std::string id{}, team_id{}, number_id{}, caller{};
  std::string callee{};
  std::string state = "ringing";  ///< or active, transferred, ended
  std::int64_t created_ms = 0;
  std::string target_uri{};  ///< transfer target
  std::string keys{};        ///< keys the caller will press: digits, * and #
  std::string audio{};       ///< the caller's speech: a WAV file, or nothing
  std::string event_id{};    ///< of its webhook event; empty: its number has no webhook
  std::string deliveries = "[]";
  bool settled = true;  ///< no more webhook attempts will follow
  [[nodiscard]] bool is_over() const { return state == "transferred" || state == "ended"; }
};

[[nodiscard]] Result<void> insert_webhook(Database& database, const Webhook& webhook);
[[nodiscard]] Result<std::optional<Webhook>> find_webhook(Database& database, sv team_id, sv id);

/// Returns false if any team has already registered the number.
[[nodiscard]] Result<bool> insert_number(Database& database, const Number& number);
[[nodiscard]] Result<void> update_number(Database& database, const Number& number);
/// Deletes the number and its webhook.
[[nodiscard]] Result<void> delete_number(Database& database, const Number& number);
[[nodiscard]] Result<std::optional<Number>> find_number(Database& database, sv team_id, sv id);
/// Finds a number of any team by the dialled digits.
[[nodiscard]] Result<std::optional<Number>> find_dialled(Database& database, sv number);
/// Lists numbers in the order of creation.
[[nodiscard]] Result<std::vector<Number>> all_numbers(Database& database, sv team_id);

[[nodiscard]] Result<std::optional<PhoneCall>> find_call(Database& database, sv id);
/// Returns what find_call() found if it is a call of that team that is not over, else the refusal.
[[nodiscard]] Checked<PhoneCall> live_call(Result<std::optional<PhoneCall>> found, sv team_id);
/// Writes the state and the transfer target.
[[nodiscard]] Result<void> set_call_state(Database& database, const PhoneCall& call);
// The event of an incoming call, its signature (Standard Webhooks v1), and its delivery.

/// Returns "whsec_" and 32 random bytes as base64.
[[nodiscard]] std::string make_signing_secret();

/// Returns "v1,<base64>": HMAC-SHA256 over `<id>.<timestamp>.<body>` with the key after "whsec_",
/// or with the bytes of a secret in any other format.
[[nodiscard]] std::string sign_delivery(sv secret, sv id, std::int64_t timestamp, sv body);

/// An event to deliver, with deliberate errors.
struct WebhookCall {
  State* state = nullptr;          ///< must outlive the courier, unless
  std::shared_ptr<State> owner{};  ///< keeps it
  std::string call_id{};
  std::string event_id{};  ///< the webhook-id: the same for each attempt
  Webhook webhook{};
  std::string body{};
  int copies = 1;                     ///< number of deliveries, even if the first succeeds
  bool wrong_signature = false;       ///< signed with another key
  std::int64_t timestamp_offset = 0;  ///< seconds added to its timestamp
};

/// Thread-safe. Its thread starts with the first delivery, and ends with this object.
class WebhookSender {
 public:
  ~WebhookSender();

  /// Delivers with retries until a 2xx is returned, the call has ended or the schedule is over.
  /// Attempts are recorded with the call, which is `settled` after the last one.
  void send(WebhookCall delivery) {
    const std::lock_guard lock(m_mutex);
    m_jobs.push_back({std::move(delivery), Clock::now()});
    if (!m_thread.joinable()) m_thread = std::thread([this] { run(); });  // the courier
    m_wake.notify_all();
  }

 private:
  using Clock = std::chrono::steady_clock;
  struct Job {
    WebhookCall delivery{};
    Clock::time_point due{};
    std::size_t failures = 0;
  };
  void run();
  void attempt(Job job);

  std::mutex m_mutex{};  ///< protects everything below except m_thread
  std::condition_variable m_wake{};
  std::vector<Job> m_jobs{};
  bool m_stopped = false;
  std::thread m_thread{};
};

// Phone numbers: validation of numbers, addresses and targets, and their operations.

/// `+` and up to 15 digits, not starting with zero.
[[nodiscard]] bool is_e164(sv text);

/// An IPv4 or IPv6 range: `203.0.113.0/24`, `2001:db8::/32`.
[[nodiscard]] bool is_cidr(sv text);

/// `tel:+<E.164>` or `sip:<user>@<host>`, with an optional port.
[[nodiscard]] bool is_call_target(sv text);

/// An http or https URL with a host.
[[nodiscard]] bool is_http_url(sv text);

/// The five operations on phone numbers.
[[nodiscard]] std::vector<Route> number_routes();

}  // namespace svc::emulator::phone
