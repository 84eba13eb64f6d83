// Runs several requests concurrently over one transport, with the retries of a single one; rate
// limits reported for one apply to all. The owner runs them in slices and does other work
// (keypresses, audio, progress) in between.
//
//   ConcurrentCalls calls(client);
//   calls.start({.request = …, .done = [&](Result<CallReply> reply) { … }});
//   while (calls.in_flight() > 0) calls.run(stop, steady_clock::now() + 50ms);
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
  /// `client` must outlive this object. Destroying it drops requests in flight. `settle` is called
  /// before a group of requests is sent, after CallJob::on_send of each; an error fails all of them
  /// without sending. May be empty.
  /// `drain`: once it is canceled, requests that are not in flight finish with its fault instead of
  /// being sent. Null: never; otherwise it must outlive this object. `pace`: requests wait so as
  /// not to exceed these limits.
  explicit ConcurrentCalls(ApiClient& client, std::function<Result<void>()> settle = {},
                           const CancelToken* drain = nullptr, const Pace& pace = {});
  ConcurrentCalls(const ConcurrentCalls&) = delete;
  ConcurrentCalls& operator=(const ConcurrentCalls&) = delete;
  ~ConcurrentCalls();

  /// Queues a request, which run() sends.
  void start(CallJob job);

  /// Runs until at least one request has finished, until `until`, or until no request is left. Once
  /// canceled, every request finishes with the fault of `cancel`.
  void run(const CancelToken& cancel, std::chrono::steady_clock::time_point until);

  [[nodiscard]] std::size_t in_flight() const noexcept { return m_items.size(); }

  /// ApiClient::call_many() with `drain` and `pace`.
  [[nodiscard]] static Result<void> run_all(ApiClient& client, std::size_t max_concurrent,
                                            const NextCall& next,
                                            const std::function<Result<void>()>& settle,
                                            const CancelToken* drain, const Pace& pace = {});

 private:
  struct Item;

  /// Sends due requests as the rate limit allows; returns when to check again.
  std::chrono::steady_clock::time_point send_due(std::chrono::steady_clock::time_point until);
  [[nodiscard]] std::optional<std::chrono::steady_clock::time_point> earliest_send_time(
      std::size_t in_flight, std::chrono::steady_clock::time_point now);
  void update_limits(const http::HttpHead& head);
  [[nodiscard]] Result<bool> may_send(Item& item);
  void send(Item& item);
  /// Records for the pacer that a request was sent.
  void left(Item& item);
  void ended(Item& item, http::Outcome outcome);
  void finish(Item& item, Result<CallReply> reply);
  void drop_waiting(Fault fault);
  void wait(const CancelToken& cancel, std::chrono::steady_clock::time_point until) const;

  ApiClient& m_client;
  std::function<Result<void>()> m_settle;
  const CancelToken* m_drain;
  std::vector<std::unique_ptr<Item>> m_items{};
  std::vector<std::unique_ptr<Item>>
      m_finished{};  ///< finished; retained until no callback uses them
  RateLimiter m_rate_limiter;
  std::optional<Pacer> m_pacer{};
  std::optional<std::chrono::steady_clock::time_point> m_first_sent{};
  bool m_limits_known = false;  ///< a response arrived, so the service's limits are known
  std::size_t m_sent = 0;       ///< requests in the transport
  bool m_done = false;          ///< a request finished in this run()
};

}  // namespace svc
