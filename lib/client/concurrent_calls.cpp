#include "client/concurrent_calls.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "client/call_attempt.h"
#include "client/usage.h"

namespace svc {

using SteadyClock = std::chrono::steady_clock;

namespace {

/// Until the first response reveals the service's rate limits, only this many requests are sent;
/// the others follow if no response arrives for a while.
constexpr std::size_t k_initial_calls = 4;
constexpr std::chrono::seconds k_first_response_wait{5};

}  // namespace

struct ConcurrentCalls::Item {
  Item(CallJob given, ApiClient& otherwise)
      : job(std::move(given)),
        client(job.by != nullptr ? *job.by : otherwise),
        attempt(job.transfer != nullptr ? ApiClient::Attempt::Mode::Transfer
                : job.on_bytes          ? ApiClient::Attempt::Mode::Bytes
                                        : ApiClient::Attempt::Mode::Collect) {
    attempt.transfer = job.transfer;
    attempt.upload_callback = &job.on_upload;
    if (job.transfer != nullptr) {
      repeat = Repeat::Always;
      return;
    }
    repeat = call_attempt::repeat_of(job.request);
    attempt.configure(*job.request.operation);
    attempt.on_begin = job.on_head;
    attempt.sink = job.on_bytes;
    attempt.on_received = job.on_received;
  }

  CallJob job;
  ApiClient& client;
  ApiClient::Attempt attempt;
  Repeat repeat = Repeat::Never;
  int made = 0;
  SteadyClock::time_point due{};  ///< time of the next attempt, if none is in flight
  bool is_in_flight = false;
  bool is_queued = false;   ///< in the pacer
  std::uint64_t paced = 0;  ///< its number in the pacer, once it was sent
};

ConcurrentCalls::ConcurrentCalls(ApiClient& client, std::function<Result<void>()> settle,
                                 const CancelToken* drain, const Pace& pace)
    : m_client(client),
      m_settle(std::move(settle)),
      m_drain(drain),
      m_rate_limiter(client.policy().max_wait) {
  if (pace.is_limited()) m_pacer.emplace(pace);
}

ConcurrentCalls::~ConcurrentCalls() {
  if (m_sent == 0) return;
  // Cancels requests in flight now, as the transport must not call destroyed objects.
  class AlwaysCanceled final : public CancelToken {
   public:
    [[nodiscard]] std::optional<Fault> requested() const noexcept override {
      return Fault::Interrupted;
    }
    [[nodiscard]] int wake_fd() const noexcept override { return -1; }
  };
  for (const auto& item : m_items) item->job.done = {};
  m_client.m_transport.run(AlwaysCanceled());
}

void ConcurrentCalls::start(CallJob job) {
  m_items.push_back(std::make_unique<Item>(std::move(job), m_client));
}

void ConcurrentCalls::run(const CancelToken& cancel, SteadyClock::time_point until) {
  m_done = false;
  while (!m_items.empty()) {
    if (const auto fault = cancel.requested(); fault && m_sent == 0) {
      while (!m_items.empty()) finish(*m_items.front(), canceled(*fault));
      break;
    }
    if (const auto fault = m_drain != nullptr ? m_drain->requested() : std::nullopt) {
      drop_waiting(*fault);
      if (m_items.empty()) break;
    }
    const auto next = cancel.requested() ? until : send_due(until);
    if (m_sent > 0) {
      m_client.m_transport.run(cancel, next);
    } else if (!m_done) {
      wait(cancel, next);
    }
    m_finished.clear();
    if (m_done || SteadyClock::now() >= until) break;
  }
  m_finished.clear();
}

SteadyClock::time_point ConcurrentCalls::send_due(SteadyClock::time_point until) {
  const auto now = SteadyClock::now();
  std::vector<Item*> due;
  std::vector<std::pair<Item*, Error>> refused;
  for (std::size_t i = 0; m_sent + due.size() < m_items.size() && i < m_items.size(); ++i) {
    Item& item = *m_items[i];
    if (item.is_in_flight) continue;
    const auto open = earliest_send_time(m_sent + due.size(), now);
    if (!open) break;  // reopened by a response
    auto at = std::max(item.due, *open);
    if (m_pacer) at = std::max(at, m_pacer->next(item.job.input_tokens, now));
    if (at > now) {
      until = std::min(until, at);
      continue;
    }
    Result<bool> may = may_send(item);
    if (may && !*may) {  // so have the others
      until = std::min(until, now + call_attempt::k_spend_wait);
      break;
    }
    if (!may) {
      refused.emplace_back(&item, std::move(may).error());
      continue;
    }
    due.push_back(&item);
    m_rate_limiter.sent();
    if (m_pacer) {
      m_pacer->queued(item.job.input_tokens);
      item.is_queued = true;
    }
  }
  for (auto& [item, error] : refused) finish(*item, std::move(error));
  const Result<void> settled = m_settle ? m_settle() : Result<void>();
  for (Item* item : due) {
    if (settled) {
      send(*item);
    } else {
      finish(*item, settled.error());
    }
  }
  return until;
}

/// When a request may be sent with `in_flight` in flight; empty: not before one of them is
/// answered.
std::optional<SteadyClock::time_point> ConcurrentCalls::earliest_send_time(
    std::size_t in_flight, SteadyClock::time_point now) {
  if (!m_first_sent) m_first_sent = now;
  const auto open = m_rate_limiter.next(in_flight);
  if (!open || m_limits_known || in_flight < k_initial_calls) return open;
  return std::max(*open, *m_first_sent + k_first_response_wait);
}

void ConcurrentCalls::update_limits(const http::HttpHead& head) {
  const auto now = SteadyClock::now();
  const auto before = m_rate_limiter.closed_until();
  m_rate_limiter.answered(head, m_sent, now);
  const auto after = m_rate_limiter.closed_until();
  if (after <= std::max(before, now)) return;
  const auto pause = std::chrono::duration_cast<std::chrono::milliseconds>(after - now);
  m_client.m_trace(
      fmt::format("the rate limit is used up; the next request waits {}", format_duration(pause)));
}

void ConcurrentCalls::wait(const CancelToken& cancel, SteadyClock::time_point until) const {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - SteadyClock::now());
  if (left.count() > 0) (void)interruptible_sleep(left, cancel);
}

Result<bool> ConcurrentCalls::may_send(Item& item) {
  item.attempt.reset();
  if (item.job.transfer == nullptr) {
    SVC_TRY(granted, item.attempt.reserve(item.client.policy(), *item.job.request.operation,
                                          item.job.request.body));
    if (!granted) return false;
  }
  if (item.job.on_send) SVC_CHECK(item.job.on_send(item.attempt.reserved()));
  return true;
}

void ConcurrentCalls::send(Item& item) {
  item.is_in_flight = true;
  ++m_sent;
  http::HttpRequest wire =
      item.job.transfer != nullptr ? item.job.wire : item.client.to_http(item.job.request);
  if (item.job.transfer != nullptr) item.job.transfer->prepare(wire);
  if (item.job.timeouts) wire.timeouts = *item.job.timeouts;
  item.attempt.send_callback = [this, &item] { left(item); };
  m_client.m_transport.start(std::move(wire), item.attempt, [this, &item](http::Outcome outcome) {
    ended(item, std::move(outcome));
  });
}

void ConcurrentCalls::left(Item& item) {
  if (!std::exchange(item.is_queued, false)) return;
  item.paced = m_pacer->sent(item.job.input_tokens, SteadyClock::now());
}

void ConcurrentCalls::ended(Item& item, http::Outcome outcome) {
  left(item);  // no connection was made
  item.is_in_flight = false;
  --m_sent;
  m_limits_known = m_limits_known || outcome.answered;
  // Files come from other hosts, so their headers do not count here.
  if (outcome.answered && item.job.transfer == nullptr) update_limits(outcome.head);
  ApiClient::Verdict verdict = item.client.evaluate(item.repeat, outcome, item.attempt, item.made);
  item.attempt.settle(item.client.policy(), ApiClient::spend_end(outcome, verdict));
  if (!verdict.ended) {
    ++item.made;
    item.due = SteadyClock::now() + verdict.wait;
    if (outcome.answered && outcome.head.status == 429) m_rate_limiter.block_until(item.due);
    return;
  }
  if (!*verdict.ended) return finish(item, verdict.ended->error());
  http::HttpHead head = **std::move(verdict.ended);
  if (item.job.on_bytes || item.job.transfer != nullptr)
    return finish(item, CallReply{std::move(head), {}});
  Result<CallReply> reply = item.client.reply_of(item.job.request, std::move(head), item.attempt);
  const auto usage = m_pacer && reply ? read_usage(reply->body) : std::nullopt;
  if (usage) m_pacer->answered(item.paced, usage->input_tokens, usage->output_tokens);
  finish(item, std::move(reply));
}

void ConcurrentCalls::finish(Item& item, Result<CallReply> reply) {
  left(item);
  const auto found = std::find_if(m_items.begin(), m_items.end(),
                                  [&](const auto& one) { return one.get() == &item; });
  if (found != m_items.end()) {
    m_finished.push_back(std::move(*found));
    m_items.erase(found);
  }
  item.attempt.settle(item.client.policy(), SpendEnd::NotRun);  // it was not sent
  m_done = true;
  m_client.m_transport.yield();
  if (item.job.done) item.job.done(std::move(reply));
}

/// Finishes requests that wait for their first attempt or the next one. None of them has run: only
/// rejected requests are sent again.
void ConcurrentCalls::drop_waiting(Fault fault) {
  while (true) {
    const auto waiting = std::find_if(m_items.begin(), m_items.end(),
                                      [](const auto& item) { return !item->is_in_flight; });
    if (waiting == m_items.end()) return;
    finish(**waiting, canceled(fault));
  }
}

Result<void> ConcurrentCalls::run_all(ApiClient& client, std::size_t max_concurrent,
                                      const NextCall& next,
                                      const std::function<Result<void>()>& settle,
                                      const CancelToken* drain, const Pace& pace) {
  const std::size_t room = std::max<std::size_t>(max_concurrent, 1);
  const CancelToken& cancel = client.m_cancel;
  ConcurrentCalls calls(client, settle, drain, pace);
  while (true) {
    const bool drains = drain != nullptr && drain->requested();
    while (calls.in_flight() < room && !cancel.requested() && !drains) {
      std::optional<CallJob> job = next();
      if (!job) break;
      calls.start(*std::move(job));
    }
    if (calls.in_flight() == 0) break;
    calls.run(cancel, std::chrono::steady_clock::now() + std::chrono::milliseconds(100));
    if (client.m_tick) client.m_tick();
  }
  Result<void> settled = settle ? settle() : Result<void>();
  if (const auto fault = cancel.requested()) return canceled(*fault);
  return settled;
}

Result<void> ApiClient::call_many(std::size_t max_concurrent, const NextCall& next,
                                  const std::function<Result<void>()>& settle) {
  return ConcurrentCalls::run_all(*this, max_concurrent, next, settle, nullptr);
}

}  // namespace svc
