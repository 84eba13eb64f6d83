// A timer with what it is for.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <utility>

#include <boost/asio/steady_timer.hpp>

namespace svc::emulator {

class Alarm {
 public:
  explicit Alarm(const boost::asio::any_io_executor& executor) : m_timer(executor) {}

  /// Calls `done` once after `wait`; replaces what was set. `done` must keep the alarm alive.
  void set(std::chrono::milliseconds wait, std::function<void()> done) {
    // A timer that is over and whose handler is queued would still call: its turn is an old one.
    m_timer.expires_after(wait);
    m_timer.async_wait([this, turn = ++m_turn, done = std::move(done)](const auto& error) {
      if (!error && turn == m_turn) done();
    });
  }
  void cancel() {
    ++m_turn;
    m_timer.cancel();
  }

 private:
  boost::asio::steady_timer m_timer;
  std::uint64_t m_turn = 0;
};

}  // namespace svc::emulator
