// An HTTP server for deliveries: one request per connection, every limit stated, nothing that a
// slow or hostile sender does holds up the others.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <string>
#include <string_view>

#include "base/cancel_token.h"
#include "base/file_descriptor.h"
#include "base/result.h"
#include "webhook/http_request.h"

namespace svc::webhook {

/// The answer to a request. A reason is its body, as a line of plain text.
struct Answer {
  int status = 204;
  std::string reason{};
};

struct ReceiverOptions {
  std::string address = "127.0.0.1";  ///< IPv4 or IPv6
  std::uint16_t port = 0;             ///< 0: one that is free
  std::string path = "/";             ///< others are 404
  HttpLimits limits{};
  std::chrono::milliseconds read_time{10'000};  ///< for a whole request: 408 beyond
  std::chrono::milliseconds write_time{2'000};  ///< for the answer to be taken
  std::size_t max_connections = 2'000;          ///< the one that waits longest makes room
  std::size_t max_memory = 64U << 20U;          ///< of all requests that are not whole: 503 beyond
  /// Called for every request that is refused before it reaches the handler.
  std::function<void(const Answer&)> refused{};
};

class Receiver {
 public:
  /// What to do with a whole POST to the path. Called on the thread that serves; while it works
  /// nobody else is served.
  using Handler = std::function<Answer(HttpRequest&)>;

  /// Local when the address is none of this machine or the port is taken.
  [[nodiscard]] static Result<Receiver> open(ReceiverOptions options);
  Receiver(Receiver&&) noexcept;
  Receiver& operator=(Receiver&&) = delete;
  Receiver(const Receiver&) = delete;
  Receiver& operator=(const Receiver&) = delete;
  ~Receiver();

  [[nodiscard]] std::uint16_t port() const noexcept { return m_port; }
  /// "http://127.0.0.1:8080/".
  [[nodiscard]] std::string url() const;

  /// Serves until `stop` asks; answers that are begun are finished then, for at most a second.
  /// Unexpected when the system does not let it wait.
  [[nodiscard]] Result<void> serve(const CancelToken& cancel, const Handler& handler);

 private:
  using Clock = std::chrono::steady_clock;
  struct Connection;
  Receiver(ReceiverOptions options, FileDescriptor listener, std::uint16_t port);

  void accept_all();
  void make_room();
  void work(Connection& connection, short events, const Handler& handler);
  void read_some(Connection& connection, const Handler& handler);
  void drain_some(Connection& connection);
  void write_some(Connection& connection);
  void progress(Connection& connection, RequestReader::Progress made, const Handler& handler);
  void refuse(Connection& connection, Answer refusal);
  void answer(Connection& connection, const Answer& answer);
  void check_time(Connection& connection, Clock::time_point now);
  [[nodiscard]] std::size_t kept_memory() const;
  [[nodiscard]] Clock::time_point next_look(Clock::time_point now, bool leaving) const;

  ReceiverOptions m_options;
  FileDescriptor m_listener;
  std::uint16_t m_port = 0;
  bool m_full = false;                  ///< the system has no descriptor left
  std::list<Connection> m_connections;  ///< the oldest first
};

}  // namespace svc::webhook
