// Sends HTTP requests, one or many at a time. The libcurl implementation is curl_transport.cpp.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/cancel_token.h"
#include "base/message.h"
#include "base/result.h"

namespace svc::http {

/// Measured from when perform() or run() starts the request.
struct Timeouts {
  std::chrono::milliseconds connect{30'000};   ///< name lookup, TCP, proxy and TLS together
  std::chrono::milliseconds total{3'600'000};  ///< the whole request
  std::chrono::milliseconds idle{300'000};     ///< no byte in either direction for this long
};

/// API calls treat a redirect as an error. Media downloads follow at most five, only to https (or
/// loopback), and send no credentials.
enum class Redirects : std::uint8_t { Refuse, FollowWithoutCredentials };

/// The default limit for a decoded body that is collected in memory.
inline constexpr std::uint64_t k_max_collected_body = 32ULL << 20U;

struct HttpRequest {
  std::string method = "GET";
  std::string url;
  std::vector<Header> headers{};  ///< without Authorization
  std::string bearer{};           ///< the key; sent as Authorization: Bearer, to this host only
  Payload body{};
  Timeouts timeouts{};
  Redirects redirects = Redirects::Refuse;
  std::uint64_t max_body_bytes = k_max_collected_body;  ///< decoded; 0 for a streamed body
};

struct HttpHead {
  int status = 0;
  std::string version{};  ///< "1.1" or "2"
  std::vector<Header> headers{};

  /// The value of the first header with this name (case-insensitive), or nothing.
  [[nodiscard]] std::optional<std::string_view> header(std::string_view name) const;
};

/// Receives a response as it arrives. An error returned here ends the request with that error.
class Receiver {
 public:
  Receiver() = default;
  Receiver(const Receiver&) = delete;
  Receiver& operator=(const Receiver&) = delete;
  virtual ~Receiver() = default;

  /// The connection is ready, and the request is sent on it now.
  virtual void on_send() {}
  /// The final head (not a 1xx, not a followed redirect). Called once, before any body.
  virtual Result<void> on_head(const HttpHead& head) = 0;
  /// A chunk of the body, content decoded.
  virtual Result<void> on_body(std::string_view bytes) = 0;
  /// Called after on_body() when all received data has been delivered: the transport is about to
  /// wait, or the body has ended. The time to flush.
  virtual Result<void> on_pause() { return {}; }
  /// Bytes of the request body sent so far and in total (0 if unknown).
  virtual void on_upload(std::uint64_t /*sent*/, std::uint64_t /*total*/) {}
};

/// The outcome of a request. `error` is empty if a complete response arrived, whatever its status.
struct Outcome {
  HttpHead head{};
  bool sent = false;      ///< at least one byte of the request was sent, so it may have run
  bool answered = false;  ///< a final head arrived
  /// A retry would fail the same way: an untrusted certificate, a redirect, a size limit.
  bool permanent = false;
  std::optional<Error> error{};
};

class Transport {
 public:
  Transport() = default;
  Transport(const Transport&) = delete;
  Transport& operator=(const Transport&) = delete;
  virtual ~Transport() = default;

  /// Sends one request and waits for its outcome. Ends early with Interrupted or Terminated if
  /// canceled.
  [[nodiscard]] virtual Outcome perform(const HttpRequest& request, Receiver& receiver,
                                        const CancelToken& cancel) = 0;

  using Done = std::function<void(Outcome)>;

  /// Queues a request for run(). `receiver` must live until `done` is called. `done` may start more
  /// requests.
  virtual void start(HttpRequest request, Receiver& receiver, Done done) = 0;

  /// Processes all queued requests until none are left or `cancel` is triggered, which ends each
  /// request in flight with its error. `until` makes it return early without affecting requests in
  /// flight.
  virtual void run(const CancelToken& cancel,
                   std::optional<std::chrono::steady_clock::time_point> until = std::nullopt) = 0;

  /// Opens a connection (name lookup, TCP, proxy, TLS) for a later request to the same host and
  /// returns at once; a thread of the transport does the work. Nothing is sent, a failure is not
  /// reported, and an open connection is reused. A request that is made meanwhile takes over.
  virtual void connect_ahead(HttpRequest /*request*/) {}

  /// May be called from `done`: makes the current run() return once all received data has been
  /// delivered, so that the owner can process several responses together.
  virtual void yield() {}
};

struct TransportOptions {
  std::string user_agent{};
  /// A PEM file of trusted certificates; if empty, what CURL_CA_BUNDLE or SSL_CERT_FILE and
  /// SSL_CERT_DIR name, else the system's.
  std::string ca_file{};
  bool environment = true;  ///< use these variables, and those that name proxies
  std::function<void(std::string_view)> trace{};  ///< a line at a time for -v, secrets masked
};

/// The libcurl transport: HTTP/2 where offered, gzip, connection reuse, proxies from the
/// environment, TLS always verified, plain http to loopback only.
[[nodiscard]] std::unique_ptr<Transport> make_curl_transport(TransportOptions options);

/// "libcurl/7.88.1 OpenSSL/3.0.…", for `svc --version`.
[[nodiscard]] std::string curl_version_text();

}  // namespace svc::http
