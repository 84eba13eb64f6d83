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
#include <functional>
#include <memory>
#include <vector>

#include "client/api_client.h"
#include "client/rate_limiter.h"

namespace svc {

class ConcurrentCalls {
 public:
  /// `client` must outlive the set. Calls still under way are dropped with the set. `settle` is
  /// called before anything is sent, with all that is about to be: after every CallJob::on_send of
  /// it. An error ends those calls with it, and they are not sent. May be empty.
  explicit ConcurrentCalls(ApiClient& client, std::function<Result<void>()> settle = {});
  ConcurrentCalls(const ConcurrentCalls&) = delete;
  ConcurrentCalls& operator=(const ConcurrentCalls&) = delete;
  ~ConcurrentCalls();

  /// Queues a call, which begins in run().
  void start(CallJob job);

  /// Works until calls are done (all that have ended by then), until `until`, or until no call is
  /// left. Once `cancel` asks, every call ends with its fault.
  void run(const CancelToken& cancel, std::chrono::steady_clock::time_point until);

  [[nodiscard]] std::size_t under_way() const noexcept { return m_items.size(); }

 private:
  struct Item;

  /// Sends what is due, as far as the rate limit allows; gives when to look again.
  std::chrono::steady_clock::time_point send_due(std::chrono::steady_clock::time_point until);
  [[nodiscard]] std::optional<std::chrono::steady_clock::time_point> may_go_out(
      std::size_t under_way, std::chrono::steady_clock::time_point now);
  void take_limits(const http::HttpHead& head);
  [[nodiscard]] Result<void> may_send(Item& item);
  void send(Item& item);
  void ended(Item& item, http::Outcome outcome);
  void finish(Item& item, Result<CallReply> reply);
  void wait(const CancelToken& cancel, std::chrono::steady_clock::time_point until) const;

  ApiClient& m_client;
  std::function<Result<void>()> m_settle;
  std::vector<std::unique_ptr<Item>> m_items{};
  std::vector<std::unique_ptr<Item>> m_over{};  ///< finished; kept until no callback uses them
  RateLimiter m_gate;
  std::optional<std::chrono::steady_clock::time_point> m_first_sent{};
  bool m_heard = false;    ///< an answer came: what the service says of its limits is known
  std::size_t m_sent = 0;  ///< with the transport now
  bool m_done = false;     ///< a call was, in this run()
};

}  // namespace svc
