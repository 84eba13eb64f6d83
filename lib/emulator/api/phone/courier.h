// The event of an incoming call, its signature (Standard Webhooks v1), and the thread that brings
// events to webhooks and tries again when they are not taken.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/result.h"
#include "emulator/api/phone/store.h"
#include "emulator/state/state.h"

namespace svc::emulator::phone {

/// "whsec_" and 32 random bytes as base64.
[[nodiscard]] std::string make_signing_secret();

/// The body of `realtime.call.incoming`.
[[nodiscard]] std::string incoming_event(const PhoneCall& call);

/// "v1,<base64>": HMAC-SHA256 over `<id>.<timestamp>.<body>` with the key behind "whsec_", or with
/// the bytes of a secret of any other form.
[[nodiscard]] std::string sign_delivery(std::string_view secret, std::string_view id,
                                        std::int64_t timestamp, std::string_view body);

/// An event on its way, and what is wrong with it on purpose.
struct Delivery {
  State* state = nullptr;  ///< must outlive the courier
  std::string call_id{};
  std::string event_id{};  ///< becomes webhook-id: the same in each attempt
  Webhook webhook{};
  std::string body{};
  int copies = 1;                     ///< so often it is delivered, though it was taken
  bool wrong_signature = false;       ///< signed with another key
  std::int64_t timestamp_offset = 0;  ///< seconds added to the time that it claims
};

/// The service's retry schedule is unpublished; this is the emulator's own: again
/// after 0.5, 2 and 8 seconds, unless a 2xx came, the call is over, or something is wrong with the
/// delivery on purpose.
inline constexpr std::chrono::milliseconds k_delivery_pauses[] = {std::chrono::milliseconds(500),
                                                                  std::chrono::milliseconds(2'000),
                                                                  std::chrono::milliseconds(8'000)};

/// Safe for several threads. Its thread starts with the first delivery and ends with it: what is
/// still to be delivered then is not.
class Courier {
 public:
  Courier() = default;
  Courier(const Courier&) = delete;
  Courier& operator=(const Courier&) = delete;
  ~Courier();

  /// Delivers soon. Each attempt is noted in the call's `deliveries`; `settled` becomes true after
  /// the last one.
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

  std::mutex m_mutex{};  ///< over all below but m_thread
  std::condition_variable m_wake{};
  std::vector<Job> m_jobs{};
  bool m_stopped = false;
  std::thread m_thread{};
};

}  // namespace svc::emulator::phone
