// Sends API requests, retries them where that is safe, checks responses and interprets errors.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/cancel_token.h"
#include "base/message.h"
#include "base/result.h"
#include "http/retry.h"
#include "http/sse.h"
#include "http/transport.h"
#include "json/outline.h"
#include "request/inputs.h"

namespace svc {

/// How a request that may have cost something ended.
enum class SpendEnd : std::uint8_t {
  NotRun,    ///< it cost nothing
  Unknown,   ///< it may have run, but its answer was lost
  Answered,  ///< the answer says what it cost, or will be recorded by its reader
};

/// What is reserved for a request.
struct Reserved {
  std::uint64_t number = 0;
  std::int64_t ticks = 0;
  std::int64_t unreported = 0;  ///< ticks that count if the answer reports no cost
};

/// Reserves what requests may cost before they are sent.
class SpendGuard {
 public:
  virtual ~SpendGuard() = default;

  /// Reserves the highest cost of a request, with a number to settle() it by. Nothing if it has to
  /// wait until others are answered: try again later. An error if it must not be sent. May limit
  /// the length of the answer in `body`.
  [[nodiscard]] virtual Result<std::optional<Reserved>> reserve(const Operation& operation,
                                                                Payload& body) = 0;
  /// `answer`: the document, or "" if it is not one, or its reader records the cost.
  virtual void settle(std::uint64_t reserved, SpendEnd end, std::string_view answer) = 0;
};

/// Settings that apply to every request of a run.
struct CallPolicy {
  http::Timeouts timeouts{};
  int retries = 2;
  std::chrono::milliseconds max_wait{60'000};
  std::string key{};                   ///< "" for a host that requires none
  std::vector<std::string> secrets{};  ///< masked in every error
  SpendGuard* spending = nullptr;  ///< asked before each attempt of a request that may cost money
};

/// Whether the operation's requests may cost money: those that submit work to a model. Checking,
/// waiting and canceling are free.
[[nodiscard]] bool may_cost(const Operation& operation);

/// A complete response with a success status.
struct CallReply {
  http::HttpHead head{};
  std::string body{};
  JsonOutline outline{};  ///< of a JSON response, with the elements of the operation's list
};

/// Receives one event of a stream; the data is valid until the call returns.
using EventSink = std::function<Result<void>(std::string_view data)>;

/// The result of a streamed request.
struct StreamReply {
  http::HttpHead head{};
  bool streamed = false;  ///< false: the service sent a complete document, which is in `body`
  std::string body{};
  std::size_t events = 0;
};

/// The reason why the body of a successful response is not valid JSON: empty, another type,
/// truncated or malformed. Network; empty if it is valid or the status is 202 ("not yet"). The same
/// pass fills `outline`, with the elements of `list`.
[[nodiscard]] std::optional<Error> not_json(const http::HttpHead& head, std::string_view body,
                                            std::span<const std::string> secrets,
                                            std::string_view list = {},
                                            JsonOutline* outline = nullptr);

/// How to continue after an incomplete response.
enum class RetryAction : std::uint8_t {
  No,             ///< fail: received bytes were passed on and cannot be undone
  Retry,          ///< retry, within the allowed attempts
  RetryAndReset,  ///< retry and reset the count of attempts, as enough data has arrived
  Restart,        ///< retry immediately, as prepare() now makes a different request
};

/// A request whose owner consumes the body in chunks and may resume it after an interruption.
class Transfer : public http::Receiver {
 public:
  /// Called before each attempt to adjust the request, such as its range.
  virtual void prepare(http::HttpRequest& wire) = 0;
  /// Called after a failed attempt; `head` is the service's error response, or null if the response
  /// was incomplete or lost.
  [[nodiscard]] virtual RetryAction on_interrupted(const http::HttpHead* head) = 0;
};

class ApiClient;

/// One of several concurrent requests. The response is collected for `done`, unless `on_bytes`
/// consumes it; then no retry follows once a byte has been passed on.
struct CallJob {
  request::Request request{};
  Transfer* transfer = nullptr;  ///< receives the response to `wire`, which is sent instead of
                                 ///< `request`
  http::HttpRequest wire{};
  ApiClient* by = nullptr;  ///< sends the request instead: for another host and key, over the same
                            ///< transport
  std::optional<http::Timeouts> timeouts{};  ///< instead of the client's
  std::int64_t input_tokens = 0;             ///< estimated, for a Pace; 0: unknown
  /// Receives the head of a successful response, before its body. An error fails the request.
  std::function<Result<void>(const http::HttpHead& head)> on_head{};
  EventSink on_bytes{};
  /// Called before each attempt with what is reserved for it; an error fails the request without
  /// sending it.
  std::function<Result<void>(const Reserved& reserved)> on_send{};
  std::function<void(std::uint64_t sent, std::uint64_t total)> on_upload{};
  /// Called with the number of bytes of a collected response received so far.
  std::function<void(std::uint64_t arrived)> on_received{};
  /// Called once; may start more requests.
  std::function<void(Result<CallReply> reply)> done{};
};

using NextCall = std::function<std::optional<CallJob>()>;

class ApiClient {
 public:
  /// Receives the lines printed by -v, with secrets masked.
  using Trace = std::function<void(const std::string& line)>;

  /// Called about twenty times a second while a request is in flight, to show progress.
  using Tick = std::function<void()>;

  /// All references must outlive the client. `tick` may be empty.
  ApiClient(http::Transport& transport, http::RetryQuota& quota, const CancelToken& cancel,
            CallPolicy policy, Trace trace, Tick tick = {});

  /// Sends a request and collects the response. Returns an error for any status other than 2xx, and
  /// for a body that is not JSON if the operation returns JSON.
  [[nodiscard]] Result<CallReply> call(const request::Request& request);

  /// Sends requests, at most `max_concurrent` at a time, over one transport. `next` provides
  /// requests: it is called while there is capacity, and again after each `done`. Returns when
  /// nothing is in flight and `next` returns nothing. On cancellation, requests in flight finish
  /// with its fault, which is returned. `settle` is that of ConcurrentCalls, called once more at
  /// the end.
  [[nodiscard]] Result<void> call_many(std::size_t max_concurrent, const NextCall& next,
                                       const std::function<Result<void>()>& settle = {});

  /// Sends a request and passes on each event as it arrives. `on_batch` is called, to flush output,
  /// whenever all received events have been passed on. No retry follows once an event has been
  /// passed on. Network if the stream is interrupted, after the events received so far. `on_run`
  /// may consume events before they are parsed, except the first; it may be empty.
  [[nodiscard]] Result<StreamReply> stream(const request::Request& request, const EventSink& sink,
                                           const std::function<Result<void>()>& on_batch,
                                           const http::SseParser::OnRun& on_run = {});

  /// Sends a request and passes on the body's bytes, of any kind, as they arrive. `on_batch` as in
  /// stream(); it may be empty.
  [[nodiscard]] Result<http::HttpHead> fetch(const request::Request& request,
                                             const EventSink& on_bytes,
                                             const std::function<Result<void>()>& on_batch = {});

  /// The HTTP request as sent, including the key.
  [[nodiscard]] http::HttpRequest to_http(const request::Request& request) const;

  /// Sets a callback for the progress of a request's body: bytes sent, and total (0: unknown).
  void on_upload(std::function<void(std::uint64_t sent, std::uint64_t total)> on_progress) {
    m_on_upload = std::move(on_progress);
  }

  [[nodiscard]] const CancelToken& stop() const noexcept { return m_cancel; }
  [[nodiscard]] const CallPolicy& policy() const noexcept { return m_policy; }

 private:
  class Attempt;
  friend class ConcurrentCalls;  // uses the same attempts and retries, concurrently

  /// What to do after an attempt.
  struct Verdict {
    std::optional<Result<http::HttpHead>> ended{};
    std::chrono::milliseconds wait{0};  ///< before the next attempt, unless `ended` is set
  };

  [[nodiscard]] Verdict evaluate(Repeat repeat, const http::Outcome& outcome, Attempt& attempt,
                                 int& made);
  [[nodiscard]] static SpendEnd spend_end(const http::Outcome& outcome, const Verdict& verdict);
  [[nodiscard]] Result<CallReply> reply_of(const request::Request& request, http::HttpHead head,
                                           Attempt& attempt) const;

  [[nodiscard]] Result<http::HttpHead> run(const request::Request& request, Attempt& attempt);
  [[nodiscard]] Result<void> reserve(const Operation& operation, Payload& body, Attempt& attempt);
  [[nodiscard]] http::Outcome exchange(const http::HttpRequest& wire, Attempt& attempt);
  [[nodiscard]] Error failure_of(Repeat repeat, const http::Outcome& outcome,
                                 const Attempt& attempt) const;

  http::Transport& m_transport;
  http::RetryQuota& m_quota;
  const CancelToken& m_cancel;
  CallPolicy m_policy;
  Trace m_trace;
  Tick m_tick;
  std::function<void(std::uint64_t, std::uint64_t)> m_on_upload{};
};

/// Waits for `time`; returns the fault of `cancel` if canceled first. For retries and polling.
[[nodiscard]] Result<void> interruptible_sleep(std::chrono::milliseconds time,
                                               const CancelToken& cancel);

}  // namespace svc
