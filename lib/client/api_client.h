// One call of the service: sent, retried where that is right, checked, and its errors understood.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/cancel_token.h"
#include "base/result.h"
#include "http/retry.h"
#include "http/sse.h"
#include "http/transport.h"
#include "json/outline.h"
#include "request/inputs.h"

namespace svc {

/// What holds for every call of a run.
struct CallPolicy {
  http::Timeouts timeouts{};
  int retries = 2;
  std::chrono::milliseconds max_wait{60'000};
  std::string key{};                   ///< "" for a host that takes none
  std::vector<std::string> secrets{};  ///< masked in every error
  /// Asked before each attempt of a request that may cost money; an error is the call's. May be
  /// empty.
  std::function<Result<void>()> may_spend{};
};

/// Whether its requests may cost money: work that is handed to a model. Looking, waiting and
/// cancelling do not.
[[nodiscard]] bool may_cost(const Operation& operation);

/// A whole answer with a success status.
struct CallReply {
  http::HttpHead head{};
  std::string body{};
  JsonOutline outline{};  ///< of a JSON answer, with the elements of the operation's list
};

/// One event of a stream; the data lives until the call returns.
using EventSink = std::function<Result<void>(std::string_view data)>;

/// How a stream ended.
struct StreamReply {
  http::HttpHead head{};
  bool streamed = false;  ///< false: the service answered with a whole document, which is in `body`
  std::string body{};
  std::size_t events = 0;
};

/// Why a success body is no JSON document: empty, another type, cut or malformed. Network; nothing
/// when it is one, or when the status is 202 ("not yet"). The same pass makes its `outline`, with
/// the elements of `list`.
[[nodiscard]] std::optional<Error> not_json(const http::HttpHead& head, std::string_view body,
                                            std::span<const std::string> secrets,
                                            std::string_view list = {},
                                            JsonOutline* outline = nullptr);

/// What becomes of an answer that broke off.
enum class GoOn : std::uint8_t {
  No,     ///< what arrived was handed out and cannot be taken back
  Again,  ///< one more attempt, of those that are allowed
  Fresh,  ///< the same, but so much has arrived that earlier attempts do not count
  Anew,   ///< at once, because prepare() now asks for something else
};

/// An exchange whose owner takes the body piece by piece and may go on after a break.
class Transfer : public http::Receiver {
 public:
  /// Before each attempt: what is asked for, such as a range.
  virtual void prepare(http::HttpRequest& wire) = 0;
  /// After an attempt that failed; `head` is the service's refusal, or null when the answer was cut
  /// or lost.
  [[nodiscard]] virtual GoOn broke_off(const http::HttpHead* head) = 0;
};

class ApiClient;

/// One of several calls. What arrives is collected for `done`, unless `on_bytes` takes it; then
/// nothing is sent again once a byte was handed on.
struct CallJob {
  request::Request request{};
  Transfer* transfer = nullptr;  ///< takes the answer of `wire`, which is sent instead of `request`
  http::HttpRequest wire{};
  ApiClient* by = nullptr;  ///< makes it instead: for another host and key, over the same transport
  std::optional<http::Timeouts> timeouts{};  ///< instead of the caller's
  /// The head of a success, before its body. An error ends the call with it.
  std::function<Result<void>(const http::HttpHead& head)> on_head{};
  EventSink on_bytes{};
  /// Before each attempt; an error ends the call with it, and nothing is sent.
  std::function<Result<void>()> on_send{};
  std::function<void(std::uint64_t sent, std::uint64_t total)> on_upload{};
  /// So many bytes of an answer that is collected have arrived.
  std::function<void(std::uint64_t arrived)> on_arrived{};
  /// Called once; may start further calls.
  std::function<void(Result<CallReply> reply)> done{};
};

using NextCall = std::function<std::optional<CallJob>()>;

class ApiClient {
 public:
  /// What -v shows; one line each, secrets masked.
  using Tell = std::function<void(const std::string& line)>;

  /// Called about twenty times a second while an exchange is under way: the moment to show
  /// progress.
  using Tick = std::function<void()>;

  /// All references must outlive the caller. `tick` may be empty.
  ApiClient(http::Transport& transport, http::RetryQuota& quota, const CancelToken& cancel,
            CallPolicy policy, Tell tell, Tick tick = {});

  /// Sends and collects. A status other than 2xx is an error, so is a body that is not JSON where
  /// the operation gives JSON. `expect_json` false: any body is taken (for `api`, downloads).
  [[nodiscard]] Result<CallReply> call(const request::Request& request);

  /// Makes calls, at most `at_once` at a time, over one transport. `next` is asked for another one
  /// whenever there is room, and again after each `done`; nothing under way and nothing next is the
  /// end. When `stop` asks, what is under way is done with its fault, which is given then. `settle`
  /// is that of ConcurrentCalls, called once more at the end.
  [[nodiscard]] Result<void> call_many(std::size_t at_once, const NextCall& next,
                                       const std::function<Result<void>()>& settle = {});

  /// Sends and hands each event on as it arrives. `on_batch` is called whenever everything that had
  /// arrived has been handed on: the moment to flush. Nothing is sent again once an event was
  /// handed on. A stream cut by the network is Network, with what came before already handed on.
  /// `on_run` may take events before they are parsed, but not the first; it may be empty.
  [[nodiscard]] Result<StreamReply> stream(const request::Request& request, const EventSink& sink,
                                           const std::function<Result<void>()>& on_batch,
                                           const http::SseParser::OnRun& on_run = {});

  /// Sends and hands on the body's bytes as they arrive, whatever they are. `on_batch` as with
  /// stream(); it may be empty.
  [[nodiscard]] Result<http::HttpHead> fetch(const request::Request& request,
                                             const EventSink& on_bytes,
                                             const std::function<Result<void>()>& on_batch = {});

  /// The request as it is sent, with the key.
  [[nodiscard]] http::HttpRequest to_http(const request::Request& request) const;

  /// Called as bytes of a request's body go out: this many, of this many (0: not known).
  void on_upload(std::function<void(std::uint64_t sent, std::uint64_t total)> told) {
    m_on_upload = std::move(told);
  }

  [[nodiscard]] const CancelToken& stop() const noexcept { return m_cancel; }
  [[nodiscard]] const CallPolicy& policy() const noexcept { return m_policy; }

 private:
  class Attempt;
  friend class ConcurrentCalls;  // the same attempts and retries, several at a time

  /// What is to be done after an attempt.
  struct Verdict {
    std::optional<Result<http::HttpHead>> ended{};
    std::chrono::milliseconds wait{0};  ///< else: before the next one
  };

  [[nodiscard]] Verdict judge(http::Repeat repeat, const http::Outcome& outcome, Attempt& attempt,
                              int& made);
  [[nodiscard]] Result<CallReply> reply_of(const request::Request& request, http::HttpHead head,
                                           Attempt& attempt) const;

  [[nodiscard]] Result<http::HttpHead> run(const http::HttpRequest& wire, http::Repeat repeat,
                                           Attempt& attempt);
  [[nodiscard]] http::Outcome exchange(const http::HttpRequest& wire, Attempt& attempt);
  [[nodiscard]] Result<void> pause(std::chrono::milliseconds time) const;
  [[nodiscard]] Error failure_of(http::Repeat repeat, const http::Outcome& outcome,
                                 const Attempt& attempt) const;

  http::Transport& m_transport;
  http::RetryQuota& m_quota;
  const CancelToken& m_cancel;
  CallPolicy m_policy;
  Tell m_tell;
  Tick m_tick;
  std::function<void(std::uint64_t, std::uint64_t)> m_on_upload{};
};

/// The answer was larger than what is collected in memory: a list may come in smaller pages.
[[nodiscard]] bool is_too_large(const Error& error);

/// Waits until `time` went by; the stop's fault when it asks before. For retries and polling.
[[nodiscard]] Result<void> sleep_unless_stopped(std::chrono::milliseconds time,
                                                const CancelToken& cancel);

}  // namespace svc
