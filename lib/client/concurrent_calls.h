// Several calls at a time over one transport, each with the retries of a single one; what the
// service says of its rate limits to one of them counts for all. The owner drives them in slices
// and does its own work (keys, sound, progress) in between.
//
//   ConcurrentCalls calls(*caller);
//   calls.start({.request = …, .done = [&](Result<CallReply> reply) { … }});
//   while (calls.under_way() > 0) calls.run(stop, steady_clock::now() + 50ms);
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <vector>

#include "client/api_client.h"
#include "client/rate_limiter.h"

namespace svc {

class ConcurrentCalls {
 public:
  /// `caller` must outlive the set. Calls still under way are dropped with the set.
  explicit ConcurrentCalls(ApiClient& client);
  ConcurrentCalls(const ConcurrentCalls&) = delete;
  ConcurrentCalls& operator=(const ConcurrentCalls&) = delete;
  ~ConcurrentCalls();

  /// Queues a call, which begins in run(); at once when called from there.
  void start(CallJob job);

  /// Works until `until`, or until no call is left. Once `stop` asks, every call ends with its
  /// fault.
  void run(const CancelToken& cancel, std::chrono::steady_clock::time_point until);

  [[nodiscard]] std::size_t under_way() const noexcept { return m_items.size(); }

 private:
  struct Item;

  /// Sends what is due, as far as the rate limit allows; gives when to look again.
  std::chrono::steady_clock::time_point send_due(std::chrono::steady_clock::time_point until);
  void send(Item& item);
  void ended(Item& item, http::Outcome outcome);
  void finish(Item& item, Result<CallReply> reply);
  void wait(const CancelToken& cancel, std::chrono::steady_clock::time_point until) const;

  ApiClient& m_client;
  std::vector<std::unique_ptr<Item>> m_items{};
  std::vector<std::unique_ptr<Item>> m_over{};  ///< finished; kept until no callback uses them
  RateLimiter m_gate{};
  std::size_t m_sent = 0;  ///< with the transport now
  bool m_running = false;  ///< inside run()
};

}  // namespace svc
