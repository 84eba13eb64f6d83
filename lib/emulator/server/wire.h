// One connection as bytes in and out, plain or TLS. Everything happens on the connection's own
// strand: no two calls or callbacks of one Wire run at the same time.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>

namespace svc::emulator {

struct WireExecutor;  // wire_executor.h

class Wire {
 public:
  using ReadDone = std::function<void(std::size_t bytes)>;  ///< 0: the peer ended, or is gone
  using WriteDone = std::function<void(bool ok)>;
  using TimerDone = std::function<void()>;
  enum class Timer : std::uint8_t { Deadline, Delay };

  Wire() = default;
  Wire(const Wire&) = delete;
  Wire& operator=(const Wire&) = delete;
  virtual ~Wire() = default;

  /// Makes the connection ready; for TLS, the handshake. Every callback must keep this Wire alive.
  virtual void open(WriteDone done) = 0;

  /// Reads what there is, at least one byte. One read at a time.
  virtual void read(std::span<char> into, ReadDone done) = 0;

  /// Writes all of `bytes`, which must stay until `done`. One write at a time.
  virtual void write(std::string_view bytes, WriteDone done) = 0;

  /// Calls `done` once after `wait`; replaces what the timer had. Never called after cancel().
  virtual void set_timer(Timer timer, std::chrono::milliseconds wait, TimerDone done) = 0;
  virtual void cancel_timer(Timer timer) = 0;

  /// Ends our direction (close_notify, FIN). The peer's stays open.
  virtual void finish(WriteDone done) = 0;

  /// Ends the connection with a TCP reset.
  virtual void reset() = 0;

  /// Ends the connection. What is under way is called back as failed; timers are not.
  virtual void close() = 0;

  /// Runs `work` on the strand.
  virtual void post(std::function<void()> work) = 0;

  /// The strand, for what speaks Asio itself.
  [[nodiscard]] virtual WireExecutor executor() const = 0;

  [[nodiscard]] virtual bool from_loopback() const = 0;
  [[nodiscard]] virtual bool is_tls() const = 0;
};

}  // namespace svc::emulator
