#include "client/concurrent_calls.h"

#include <algorithm>

#include "client/call_attempt.h"

namespace svc {

using SteadyClock = std::chrono::steady_clock;

struct ConcurrentCalls::Item {
  Item(CallJob given, ApiClient& otherwise)
      : job(std::move(given)),
        client(job.by != nullptr ? *job.by : otherwise),
        attempt(job.on_bytes ? ApiClient::Attempt::Way::Bytes : ApiClient::Attempt::Way::Collect) {}

  CallJob job;
  ApiClient& client;
  ApiClient::Attempt attempt;
  http::Repeat repeat = http::Repeat::Never;
  int made = 0;
  SteadyClock::time_point due{};  ///< of the next attempt, while none is on its way
  bool on_its_way = false;
};

ConcurrentCalls::ConcurrentCalls(ApiClient& client) : m_client(client) {}

ConcurrentCalls::~ConcurrentCalls() {
  if (m_sent == 0) return;
  // The transport must not call what is gone: everything under way ends now.
  class Now final : public CancelToken {
   public:
    [[nodiscard]] std::optional<Fault> requested() const noexcept override {
      return Fault::Interrupted;
    }
    [[nodiscard]] int wake_fd() const noexcept override { return -1; }
  };
  for (const auto& item : m_items) item->job.done = {};
  m_client.m_transport.run(Now());
}

void ConcurrentCalls::start(CallJob job) {
  auto item = std::make_unique<Item>(std::move(job), m_client);
  item->repeat = call_attempt::repeat_of(item->job.request);
  item->attempt.serve(*item->job.request.operation);
  item->attempt.begun = item->job.on_head;
  item->attempt.sink = item->job.on_bytes;
  item->attempt.uploaded = &item->job.on_upload;
  item->attempt.arrived = item->job.on_arrived;
  m_items.push_back(std::move(item));
  if (m_running) (void)send_due(SteadyClock::now());
}

void ConcurrentCalls::run(const CancelToken& cancel, SteadyClock::time_point until) {
  m_running = true;
  while (!m_items.empty()) {
    if (const auto fault = cancel.requested(); fault && m_sent == 0) {
      while (!m_items.empty()) finish(*m_items.front(), cancelled(*fault));
      break;
    }
    const auto next = send_due(until);
    if (m_sent > 0) {
      m_client.m_transport.run(cancel, next);
    } else {
      wait(cancel, next);
    }
    m_over.clear();
    if (SteadyClock::now() >= until) break;
  }
  m_over.clear();
  m_running = false;
}

SteadyClock::time_point ConcurrentCalls::send_due(SteadyClock::time_point until) {
  const auto now = SteadyClock::now();
  for (std::size_t i = 0; i < m_items.size(); ++i) {
    Item& item = *m_items[i];
    if (item.on_its_way) continue;
    const auto open = m_gate.next(m_sent);
    if (!open) break;  // an answer opens it
    const auto due = std::max(item.due, *open);
    if (due <= now) {
      send(item);
    } else {
      until = std::min(until, due);
    }
  }
  return until;
}

void ConcurrentCalls::wait(const CancelToken& cancel, SteadyClock::time_point until) const {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - SteadyClock::now());
  if (left.count() > 0) (void)sleep_unless_stopped(left, cancel);
}

void ConcurrentCalls::send(Item& item) {
  item.attempt.reset();
  if (Result<void> may = item.attempt.may_begin(item.client.policy()); !may) {
    return finish(item, std::move(may).error());
  }
  if (Result<void> may = item.job.on_send ? item.job.on_send() : Result<void>(); !may) {
    return finish(item, std::move(may).error());
  }
  item.on_its_way = true;
  ++m_sent;
  m_gate.sent();
  http::HttpRequest wire = item.client.to_http(item.job.request);
  if (item.job.timeouts) wire.timeouts = *item.job.timeouts;
  m_client.m_transport.start(std::move(wire), item.attempt, [this, &item](http::Outcome outcome) {
    ended(item, std::move(outcome));
  });
}

void ConcurrentCalls::ended(Item& item, http::Outcome outcome) {
  item.on_its_way = false;
  --m_sent;
  if (outcome.answered) m_gate.answered(outcome.head, m_sent, SteadyClock::now());
  ApiClient::Verdict verdict = item.client.judge(item.repeat, outcome, item.attempt, item.made);
  if (!verdict.ended) {
    ++item.made;
    item.due = SteadyClock::now() + verdict.wait;
    if (outcome.answered && outcome.head.status == 429) m_gate.hold(item.due);
    return;
  }
  if (!*verdict.ended) return finish(item, verdict.ended->error());
  http::HttpHead head = **std::move(verdict.ended);
  if (item.job.on_bytes) return finish(item, CallReply{std::move(head), {}});
  finish(item, item.client.reply_of(item.job.request, std::move(head), item.attempt));
}

void ConcurrentCalls::finish(Item& item, Result<CallReply> reply) {
  const auto found = std::find_if(m_items.begin(), m_items.end(),
                                  [&](const auto& one) { return one.get() == &item; });
  if (found != m_items.end()) {
    m_over.push_back(std::move(*found));
    m_items.erase(found);
  }
  if (item.job.done) item.job.done(std::move(reply));
}

}  // namespace svc
