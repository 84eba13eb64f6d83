// HTTP exchanges, one or many at a time. The implementation over libcurl is curl_transport.cpp.
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

/// Counted from the moment at which perform() or run() takes the exchange up.
struct Timeouts {
  std::chrono::milliseconds connect{30'000};   ///< name lookup, TCP, proxy and TLS together
  std::chrono::milliseconds total{3'600'000};  ///< the whole exchange
  std::chrono::milliseconds idle{300'000};     ///< no byte in either direction for this long
};

/// API calls treat a redirect as an error; a download of media follows at most five, to https (or
/// loopback) only, and carries no credential to anywhere.
enum class Redirects : std::uint8_t { Refuse, FollowBare };

/// The default cap on a decoded body that is collected in memory.
inline constexpr std::uint64_t k_max_collected_body = 32ULL << 20U;

struct HttpRequest {
  std::string method = "GET";
  std::string url;
  std::vector<Header> headers{};  ///< without Authorization
  std::string bearer{};           ///< the key; sent as Authorization: Bearer, to this host only
  Payload body{};
  Timeouts timeouts{};
  Redirects redirects = Redirects::Refuse;
  std::uint64_t max_body_bytes = k_max_collected_body;  ///< decoded; 0 for a body that is streamed
};

struct HttpHead {
  int status = 0;
  std::string version{};  ///< "1.1" or "2"
  std::vector<Header> headers{};

  /// The first header of that name (case-insensitive), or nothing.
  [[nodiscard]] std::optional<std::string_view> header(std::string_view name) const;
};

/// Where an answer goes while it arrives. An error returned here ends the exchange with that error.
class Receiver {
 public:
  Receiver() = default;
  Receiver(const Receiver&) = delete;
  Receiver& operator=(const Receiver&) = delete;
  virtual ~Receiver() = default;

  /// The final head (not a 1xx, not a followed redirect). Called once, before any body.
  virtual Result<void> on_head(const HttpHead& head) = 0;
  /// A piece of the body, content decoding undone.
  virtual Result<void> on_body(std::string_view bytes) = 0;
  /// All that had arrived was handed on: the transport waits now, or the body has ended. The moment
  /// to flush, once for what came at once. Called after on_body() only.
  virtual Result<void> on_pause() { return {}; }
  /// Bytes of the request body sent so far and in all (0 when unknown).
  virtual void on_upload(std::uint64_t /*sent*/, std::uint64_t /*total*/) {}
};

/// How an exchange ended. `error` is empty when a whole answer arrived, whatever its status.
struct Outcome {
  HttpHead head{};
  bool sent = false;      ///< at least one byte of the request went out: it may have run
  bool answered = false;  ///< a final head arrived
  /// The error would be the same again: a refused certificate, a redirect, a cap.
  bool permanent = false;
  std::optional<Error> error{};
};

class Transport {
 public:
  Transport() = default;
  Transport(const Transport&) = delete;
  Transport& operator=(const Transport&) = delete;
  virtual ~Transport() = default;

  /// One exchange, from begin to end. Ends early with Interrupted or Terminated when `stop` asks.
  [[nodiscard]] virtual Outcome perform(const HttpRequest& request, Receiver& receiver,
                                        const CancelToken& cancel) = 0;

  using Done = std::function<void(Outcome)>;

  /// Queues an exchange for run(). `receiver` must live until `done` was called. `done` may start
  /// further exchanges.
  virtual void start(HttpRequest request, Receiver& receiver, Done done) = 0;

  /// Drives everything queued until nothing is left, or until `stop` asks (then each exchange still
  /// under way is done with that error). `until`, when given, ends the run early without touching
  /// what is under way.
  virtual void run(const CancelToken& cancel,
                   std::optional<std::chrono::steady_clock::time_point> until = std::nullopt) = 0;

  /// From a `done`: ends the run() under way once everything that has arrived is handed on, so that
  /// its owner can take several answers together.
  virtual void yield() {}
};

struct TransportOptions {
  std::string user_agent{};
  /// A PEM file of trusted certificates instead of the system's; empty: what CURL_CA_BUNDLE or
  /// SSL_CERT_FILE name, else the system's.
  std::string ca_file{};
  std::function<void(std::string_view)> trace{};  ///< a line at a time for -v, secrets masked
};

/// The transport over libcurl: HTTP/2 where offered, gzip, connection reuse, proxies from the
/// environment, TLS always verified, plain http to loopback only.
[[nodiscard]] std::unique_ptr<Transport> make_curl_transport(TransportOptions options);

/// "libcurl/7.88.1 OpenSSL/3.0.…", for `svc --version`.
[[nodiscard]] std::string curl_version_text();

}  // namespace svc::http
