#include "client/call_set.h"

#include <algorithm>

#include "client/call_attempt.h"

namespace svc {

using SteadyClock = std::chrono::steady_clock;

struct CallSet::Item {
  explicit Item(CallJob given)
      : job(std::move(given)),
        attempt(job.on_bytes ? Caller::Attempt::Way::Bytes : Caller::Attempt::Way::Collect) {}

  CallJob job;
  Caller::Attempt attempt;
  http::Repeat repeat = http::Repeat::Never;
  int made = 0;
  SteadyClock::time_point due{};  ///< of the next attempt, while none is on its way
  bool on_its_way = false;
};

CallSet::CallSet(Caller& caller) : m_caller(caller) {}

CallSet::~CallSet() {
  if (m_sent == 0) return;
  // The transport must not call what is gone: everything under way ends now.
  class Now final : public Stop {
   public:
    [[nodiscard]] std::optional<Fault> requested() const noexcept override {
      return Fault::Interrupted;
    }
    [[nodiscard]] int wake_fd() const noexcept override { return -1; }
  };
  for (const auto& item : m_items) item->job.done = {};
  m_caller.m_transport.run(Now());
}

void CallSet::start(CallJob job) {
  auto item = std::make_unique<Item>(std::move(job));
  const Operation& operation = *item->job.request.operation;
  item->repeat = call::repeat_of(item->job.request);
  item->attempt.management = operation.host == Host::Management;
  item->attempt.max_body = std::uint64_t{operation.max_answer_mb} << 20U;
  item->attempt.begun = item->job.on_head;
  item->attempt.sink = item->job.on_bytes;
  item->attempt.uploaded = &item->job.on_upload;
  m_items.push_back(std::move(item));
}

void CallSet::run(const Stop& stop, SteadyClock::time_point until) {
  while (!m_items.empty()) {
    if (const auto fault = stop.requested(); fault && m_sent == 0) {
      while (!m_items.empty()) finish(*m_items.front(), stopped(*fault));
      break;
    }
    auto next = until;
    for (std::size_t i = 0; i < m_items.size(); ++i) {
      Item& item = *m_items[i];
      if (item.on_its_way) continue;
      if (item.due <= SteadyClock::now()) {
        send(item);
      } else {
        next = std::min(next, item.due);
      }
    }
    if (m_sent > 0) {
      m_caller.m_transport.run(stop, next);
    } else {
      wait(stop, next);
    }
    m_over.clear();
    if (SteadyClock::now() >= until) break;
  }
  m_over.clear();
}

void CallSet::wait(const Stop& stop, SteadyClock::time_point until) const {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - SteadyClock::now());
  if (left.count() > 0) (void)sleep_unless_stopped(left, stop);
}

void CallSet::send(Item& item) {
  item.attempt.reset();
  item.on_its_way = true;
  ++m_sent;
  http::HttpRequest wire = m_caller.to_http(item.job.request);
  if (item.job.timeouts) wire.timeouts = *item.job.timeouts;
  m_caller.m_transport.start(std::move(wire), item.attempt, [this, &item](http::Outcome outcome) {
    ended(item, std::move(outcome));
  });
}

void CallSet::ended(Item& item, http::Outcome outcome) {
  item.on_its_way = false;
  --m_sent;
  if (!outcome.error && call::is_success(outcome.head.status)) {
    m_caller.m_quota.give_back();
    const Operation& operation = *item.job.request.operation;
    if (operation.reply == Reply::Json && !item.job.on_bytes) {
      if (auto fault = not_json(outcome.head, item.attempt.body, m_caller.m_policy.secrets)) {
        return finish(item, *std::move(fault));
      }
    }
    return finish(item, CallReply{std::move(outcome.head), std::move(item.attempt.body)});
  }
  Error failure = m_caller.failure_of(item.repeat, outcome, item.attempt);
  const auto pause = m_caller.next_try(item.made, item.repeat, outcome, item.attempt, failure);
  if (!pause) return finish(item, std::move(failure));
  ++item.made;
  item.due = SteadyClock::now() + *pause;
}

void CallSet::finish(Item& item, Result<CallReply> reply) {
  const auto found = std::find_if(m_items.begin(), m_items.end(),
                                  [&](const auto& one) { return one.get() == &item; });
  if (found != m_items.end()) {
    m_over.push_back(std::move(*found));
    m_items.erase(found);
  }
  if (item.job.done) item.job.done(std::move(reply));
}

}  // namespace svc
