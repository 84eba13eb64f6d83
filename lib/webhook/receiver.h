// An HTTP server for deliveries: one request per connection, every limit stated, nothing that a
// slow or hostile sender does holds up the others.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <string>
#include <string_view>

#include "base/cancel_token.h"
#include "base/file_descriptor.h"
#include "base/result.h"

namespace svc::webhook {

/// One HTTP request as a receiver reads it, with limits. The parsing is Boost.Beast's.
struct HttpLimits {
  std::size_t header = 16U << 10U;  ///< bytes of the head: 431 beyond
  std::size_t body = 1'000'000;     ///< bytes: 413 beyond
};

struct HttpRequest {
  std::string method{};
  std::string path{};  ///< without the query, as it was sent
  std::string id{};    ///< of webhook-id; "" when it is missing
  std::string timestamp{};
  std::string signature{};  ///< several headers are joined by a space
  std::string authorization{};
  std::string body{};
};

class RequestReader {
 public:
  explicit RequestReader(const HttpLimits& limits);
  RequestReader(RequestReader&&) noexcept;
  RequestReader& operator=(RequestReader&&) noexcept;
  ~RequestReader();

  enum class Progress : std::uint8_t {
    More,      ///< something is missing yet
    Continue,  ///< the sender waits for `100 Continue` before it sends the body; reported once
    Whole,     ///< take() the request
    Refused,   ///< status() says why
  };

  /// Reads on. What follows a whole request is dropped: there is one per connection.
  [[nodiscard]] Progress feed(std::string_view bytes);
  /// The sender has ended its side: Whole, or Refused.
  [[nodiscard]] Progress ended();

  /// Of a refusal: 400, 413, 431 or 505.
  [[nodiscard]] int status() const noexcept { return m_status; }
  /// Bytes that are kept.
  [[nodiscard]] std::size_t kept() const noexcept;

  [[nodiscard]] HttpRequest take();

 private:
  struct State;
  [[nodiscard]] Progress judge();
  [[nodiscard]] Progress refuse(int status);

  std::unique_ptr<State> m_state;
  int m_status = 0;
};

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
