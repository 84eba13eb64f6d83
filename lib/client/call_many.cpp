// Several calls at a time: each with its own retries, all over one transport.
#include <algorithm>
#include <list>
#include <memory>

#include "client/call_attempt.h"

namespace svc {

/// The calls under way, and those that wait for their next attempt.
class Caller::Flights {
 public:
  Flights(Caller& caller, std::size_t at_once, const NextCall& next)
      : m_caller(caller), m_at_once(std::max<std::size_t>(at_once, 1)), m_next(next) {}

  Result<void> run() {
    fill();
    while (!m_flights.empty()) {
      m_caller.m_transport.run(m_caller.m_stop, next_look());
      m_over.clear();
      if (const auto fault = m_caller.m_stop.requested()) end_waiting(*fault);
      if (m_caller.m_tick) m_caller.m_tick();
      start_due();
      fill();
      // With nothing on its way the transport returns at once.
      if (m_flying == 0 && !m_flights.empty()) {
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(next_look() - Clock::now());
        (void)sleep_unless_stopped(std::max(left, std::chrono::milliseconds(1)), m_caller.m_stop);
      }
    }
    if (const auto fault = m_caller.m_stop.requested()) return stopped(*fault);
    return {};
  }

 private:
  using Clock = std::chrono::steady_clock;

  struct Flight {
    Flight(OneCall asked, Caller& otherwise)
        : call(std::move(asked)), caller(call.by != nullptr ? *call.by : otherwise) {}
    OneCall call;
    Caller& caller;
    Attempt attempt{Attempt::Way::Collect};
    int made = 0;
    std::optional<Clock::time_point> again{};  ///< not under way until then
  };
  using Place = std::list<std::unique_ptr<Flight>>::iterator;

  void fill() {
    while (m_flights.size() < m_at_once && !m_caller.m_stop.requested()) {
      std::optional<OneCall> call = m_next();
      if (!call) return;
      m_flights.push_back(std::make_unique<Flight>(*std::move(call), m_caller));
      Flight& flight = *m_flights.back();
      flight.attempt.serve(*flight.call.request.operation);
      flight.attempt.uploaded = &flight.call.on_upload;
      start(std::prev(m_flights.end()));
    }
  }

  void start(Place place) {
    Flight& flight = **place;
    flight.again.reset();
    flight.attempt.reset();
    ++m_flying;
    m_caller.m_transport.start(flight.caller.to_http(flight.call.request), flight.attempt,
                               [this, place](http::Outcome outcome) { landed(place, outcome); });
  }

  void landed(Place place, const http::Outcome& outcome) {
    --m_flying;
    Flight& flight = **place;
    const http::Repeat repeat = call_attempt::repeat_of(flight.call.request);
    Verdict verdict = flight.caller.judge(repeat, outcome, flight.attempt, flight.made);
    if (!verdict.ended) {
      ++flight.made;
      flight.again = Clock::now() + verdict.wait;
      return;
    }
    Result<CallReply> reply =
        *verdict.ended
            ? flight.caller.reply_of(flight.call.request, **verdict.ended, flight.attempt)
            : Result<CallReply>(verdict.ended->error());
    end(place, std::move(reply));
    fill();
  }

  /// The transport may look at the receiver once more: it goes when the transport has returned.
  void end(Place place, Result<CallReply> reply) {
    const auto done = std::move((*place)->call.done);
    m_over.splice(m_over.end(), m_flights, place);
    done(std::move(reply));
  }

  void end_waiting(Fault fault) {
    for (auto at = m_flights.begin(); at != m_flights.end();) {
      const auto next = std::next(at);
      if ((*at)->again) end(at, stopped(fault));
      at = next;
    }
  }

  void start_due() {
    for (auto at = m_flights.begin(); at != m_flights.end(); ++at) {
      if ((*at)->again && *(*at)->again <= Clock::now()) start(at);
    }
  }

  [[nodiscard]] Clock::time_point next_look() const {
    Clock::time_point look = Clock::now() + std::chrono::milliseconds(100);
    for (const auto& flight : m_flights) {
      if (flight->again) look = std::min(look, *flight->again);
    }
    return look;
  }

  Caller& m_caller;
  std::size_t m_at_once;
  const NextCall& m_next;
  std::list<std::unique_ptr<Flight>> m_flights{};
  std::list<std::unique_ptr<Flight>> m_over{};
  std::size_t m_flying = 0;
};

Result<void> Caller::call_many(std::size_t at_once, const NextCall& next) {
  return Flights(*this, at_once, next).run();
}

}  // namespace svc
