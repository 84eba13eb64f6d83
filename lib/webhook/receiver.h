// An HTTP server for webhook deliveries: one request per connection, with limits everywhere, so
// that a slow or hostile sender does not delay others.
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
#include "webhook/signature.h"

namespace svc::webhook {

/// One HTTP request, parsed with limits by Boost.Beast.
struct HttpLimits {
  std::size_t header = 16U << 10U;  ///< bytes of the header; more is refused with 431
  std::size_t body = 1'000'000;     ///< bytes; more is refused with 413
};

struct HttpRequest : Delivery {
  std::string method{};
  std::string path{};  ///< without the query, not decoded
  std::string authorization{};
};

/// One HTTP request as a receiver reads it, with limits. The parsing is Boost.Beast's.
class RequestReader {
 public:
  explicit RequestReader(const HttpLimits& limits);
  RequestReader(RequestReader&&) noexcept;
  RequestReader& operator=(RequestReader&&) noexcept;
  ~RequestReader();

  enum class Progress : std::uint8_t {
    NeedMore,  ///< incomplete
    Continue,  ///< the sender expects `100 Continue` before it sends the body; reported once
    Complete,  ///< complete: call take()
    Rejected,  ///< see status()
  };

  /// Parses the next bytes. Data after a complete request is dropped, because a connection has only
  /// one.
  [[nodiscard]] Progress feed(std::string_view bytes);
  /// Call when the sender has closed its side; returns Complete or Rejected.
  [[nodiscard]] Progress ended();

  /// The status of a refused request: 400, 413, 431 or 505.
  [[nodiscard]] int status() const noexcept { return m_status; }
  /// Number of buffered bytes.
  [[nodiscard]] std::size_t buffered_bytes() const noexcept;

  [[nodiscard]] HttpRequest take();

 private:
  struct State;
  [[nodiscard]] Progress parse_result();
  [[nodiscard]] Progress refuse(int status);

  std::unique_ptr<State> m_state;
  int m_status = 0;
};

/// The response to a request. Its reason is sent as a line of plain text.
struct HttpReply {
  int status = 204;
  std::string reason{};
};

struct ReceiverOptions {
  std::string address = "127.0.0.1";  ///< IPv4 or IPv6
  std::uint16_t port = 0;             ///< 0: any free port
  std::string path = "/";             ///< other paths get 404
  HttpLimits limits{};
  std::chrono::milliseconds read_time{10'000};  ///< for a complete request; then 408
  std::chrono::milliseconds write_time{2'000};  ///< for sending the response
  std::size_t max_connections = 2'000;  ///< then the connection that has waited longest is closed
  std::size_t max_memory = 64U << 20U;  ///< of all incomplete requests; more are refused with 503
  /// Called for every request refused before it reaches the handler.
  std::function<void(const HttpReply&)> refused{};
};

class WebhookServer {
 public:
  /// Handles a complete POST to the path. Runs on the serving thread, so it blocks other requests.
  using Handler = std::function<HttpReply(HttpRequest&)>;

  /// Fails with Fault::Local if the address is not local or the port is in use.
  [[nodiscard]] static Result<WebhookServer> open(ReceiverOptions options);
  WebhookServer(WebhookServer&&) noexcept;
  WebhookServer& operator=(WebhookServer&&) = delete;
  WebhookServer(const WebhookServer&) = delete;
  WebhookServer& operator=(const WebhookServer&) = delete;
  ~WebhookServer();

  [[nodiscard]] std::uint16_t port() const noexcept { return m_port; }
  /// "http://127.0.0.1:8080/".
  [[nodiscard]] std::string url() const;

  /// Serves until canceled; responses already started are then finished within a second. Fails
  /// with Fault::Unexpected if polling fails.
  [[nodiscard]] Result<void> serve(const CancelToken& cancel, const Handler& handler);

 private:
  using Clock = std::chrono::steady_clock;
  struct Connection;
  WebhookServer(ReceiverOptions options, FileDescriptor listener, std::uint16_t port);

  void accept_all();
  void close_oldest();
  void work(Connection& connection, short events, const Handler& handler);
  void read_some(Connection& connection, const Handler& handler);
  void drain_some(Connection& connection);
  void write_some(Connection& connection);
  void progress(Connection& connection, RequestReader::Progress made, const Handler& handler);
  void refuse(Connection& connection, HttpReply refusal);
  void answer(Connection& connection, const HttpReply& answer);
  void check_timeout(Connection& connection, Clock::time_point now);
  [[nodiscard]] std::size_t buffered_memory() const;
  [[nodiscard]] Clock::time_point next_deadline(Clock::time_point now, bool shutting_down) const;

  ReceiverOptions m_options;
  FileDescriptor m_listener;
  std::uint16_t m_port = 0;
  bool m_out_of_descriptors = false;    ///< no file descriptor is available
  std::list<Connection> m_connections;  ///< the oldest first
};

}  // namespace svc::webhook
