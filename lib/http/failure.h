// What a person is told when an exchange failed below HTTP.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "base/result.h"

namespace svc::http {

enum class Trouble : std::uint8_t {
  NameLookup,
  ProxyNameLookup,
  Connect,
  Handshake,
  Certificate,
  Proxy,
  Broken,    ///< the connection broke or closed
  CutShort,  ///< the answer ended before its length
  NotHttp,
  BadFraming,  ///< chunks, content coding, HTTP/2 frames
  HeadTooLarge,
  Other,
};

/// What is known of the exchange; every text is masked and made visible already.
struct FailureContext {
  std::string authority{};  ///< "host:port"
  std::string detail{};     ///< libcurl's own words
  std::string proxy{};      ///< the proxy's address, when there is one
  int proxy_status = 0;     ///< what it answered to CONNECT
  bool answered = false;
};

/// Class Network, one sentence that names host and port, and the next step.
[[nodiscard]] Error describe_failure(Trouble trouble, const FailureContext& context);

enum class Limit : std::uint8_t { NameLookup, Connect, Total, Idle };

/// Class Timeout (Network for a name that could not be looked up in time), naming the limit.
[[nodiscard]] Error describe_timeout(Limit limit, std::chrono::milliseconds time,
                                     const std::string& authority);

}  // namespace svc::http
