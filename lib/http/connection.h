// A raw connection to a host: bytes in both directions, over the same proxies, TLS and certificates
// as HTTP requests. WebSockets use it.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/cancel_token.h"
#include "base/result.h"
#include "http/transport.h"

namespace svc::http {

class Connection {
 public:
  Connection() = default;
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  virtual ~Connection() = default;

  /// Returns the number of bytes read, 0 if none are available yet, or nothing at the end of the
  /// stream. Network if the connection broke.
  [[nodiscard]] virtual Result<std::optional<std::size_t>> read(std::span<char> into) = 0;

  /// Returns the number of bytes written, 0 if none fit at present. Network if the connection
  /// broke.
  [[nodiscard]] virtual Result<std::size_t> write(std::string_view bytes) = 0;

  /// For poll(2): readable when read() may return more data, writable when write() may accept some.
  [[nodiscard]] virtual int descriptor() const noexcept = 0;
};

struct ConnectionRequest {
  std::string url{};                          ///< http(s) or ws(s); only its origin is used
  std::string bearer{};                       ///< the key that will be sent over this connection;
                                              ///< masked in traces
  std::chrono::milliseconds connect{30'000};  ///< name lookup, TCP, proxy and TLS together
};

/// Connects. Usage for an invalid URL (as check_request()), Network or Timeout if it fails, the
/// cancel token's error if canceled.
[[nodiscard]] Result<std::unique_ptr<Connection>> open_connection(const ConnectionRequest& request,
                                                                  const TransportOptions& options,
                                                                  const CancelToken& cancel);

}  // namespace svc::http
