// A bare connection to a host: bytes both ways, over the same proxies, TLS and certificates as HTTP
// exchanges. WebSockets speak over it.
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

  /// How many bytes were read; 0: none are there now; nothing: the peer has ended the stream.
  /// Network when the connection broke.
  [[nodiscard]] virtual Result<std::optional<std::size_t>> read(std::span<char> into) = 0;

  /// How many bytes were taken; 0: none fit now. Network when the connection broke.
  [[nodiscard]] virtual Result<std::size_t> write(std::string_view bytes) = 0;

  /// For poll(2): readable when read() may give bytes it did not give before, writable when write()
  /// may take some.
  [[nodiscard]] virtual int descriptor() const noexcept = 0;
};

struct ConnectionRequest {
  std::string url{};                          ///< http(s) or ws(s); only its origin counts
  std::string bearer{};                       ///< what will be said here and no trace may show
  std::chrono::milliseconds connect{30'000};  ///< name lookup, TCP, proxy and TLS together
};

/// Connects. Usage for an address that may not be used (as check_request()), Network or Timeout
/// when it fails, the stop's fault when that asks.
[[nodiscard]] Result<std::unique_ptr<Connection>> open_connection(const ConnectionRequest& request,
                                                                  const TransportOptions& options,
                                                                  const CancelToken& cancel);

}  // namespace svc::http
