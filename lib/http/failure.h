// User-facing errors for requests that failed below HTTP.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "base/result.h"

namespace svc::http {

enum class FailureKind : std::uint8_t {
  NameLookup,
  ProxyNameLookup,
  Connect,
  Handshake,
  Certificate,
  Proxy,
  Broken,     ///< the connection broke or was closed
  Truncated,  ///< the response ended before its declared length
  NotHttp,
  BadFraming,  ///< chunks, content coding, HTTP/2 frames
  HeadTooLarge,
  Other,
};

/// What is known about the request. All texts are already masked and escaped.
struct FailureContext {
  std::string authority{};       ///< "host:port"
  std::string detail{};          ///< libcurl's own message
  std::string proxy{};           ///< the proxy's URL, if one is used
  std::string trust_variable{};  ///< names the trusted certificates; "" if none does
  int proxy_status = 0;          ///< its status in response to CONNECT
  bool answered = false;
  bool trusts_none = false;  ///< this system has no trusted certificates
};

/// An error of class Network: one sentence with host and port, and the next step.
[[nodiscard]] Error describe_failure(FailureKind kind, const FailureContext& context);

enum class Limit : std::uint8_t { NameLookup, Connect, Total, Idle };

/// An error of class Timeout (Network if the name lookup timed out) that states the limit.
[[nodiscard]] Error describe_timeout(Limit limit, std::chrono::milliseconds time,
                                     const std::string& authority);

}  // namespace svc::http
