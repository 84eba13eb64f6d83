// The event of an incoming call, its signature (Standard Webhooks v1), and the thread that delivers
// events to webhooks, with retries.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "emulator/api/phone/store.h"
#include "emulator/state/state.h"

namespace svc::emulator::phone {

/// Returns "whsec_" and 32 random bytes as base64.
[[nodiscard]] std::string make_signing_secret();

/// Returns the body of `realtime.call.incoming`.
[[nodiscard]] std::string incoming_event(const PhoneCall& call);

/// Returns "v1,<base64>": HMAC-SHA256 over `<id>.<timestamp>.<body>` with the key after "whsec_",
/// or with the bytes of a secret in any other format.
[[nodiscard]] std::string sign_delivery(std::string_view secret, std::string_view id,
                                        std::int64_t timestamp, std::string_view body);

/// An event to deliver, with deliberate errors.
struct Delivery {
  State* state = nullptr;  ///< must outlive the courier
  std::string call_id{};
  std::string event_id{};  ///< the webhook-id: the same for each attempt
  Webhook webhook{};
  std::string body{};
  int copies = 1;                     ///< number of deliveries, even if the first succeeds
  bool wrong_signature = false;       ///< signed with another key
  std::int64_t timestamp_offset = 0;  ///< seconds added to its timestamp
};

/// Thread-safe. Its thread starts with the first delivery and stops with this object; deliveries
/// pending then are dropped.
class WebhookSender {
 public:
  WebhookSender() = default;
  WebhookSender(const WebhookSender&) = delete;
  WebhookSender& operator=(const WebhookSender&) = delete;
  ~WebhookSender();

  /// Delivers asynchronously, with retries until a 2xx is returned, the call has ended or the
  /// schedule is over; a delivery with deliberate errors is not retried. Each attempt is recorded
  /// in the call's `deliveries`; `settled` becomes true after the last one.
  void send(Delivery delivery);

 private:
  using Clock = std::chrono::steady_clock;
  struct Job {
    Delivery delivery{};
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

}  // namespace svc::emulator::phone
