// Reads and writes URLs in requests, on this machine only: an emulator started by a test must not
// access the network.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"

namespace svc::emulator::media {

inline constexpr std::size_t k_max_fetched = 64U << 20U;

/// GET of an http URL on a loopback address; returns the body of a 200. Usage for any other URL,
/// Network if it fails or takes more than five seconds. Redirects are not followed.
[[nodiscard]] Result<std::string> fetch(std::string_view url);

/// The response to a POST.
struct HttpReply {
  unsigned status = 0;
  std::string body{};
};

/// POST to an http URL on a loopback address, with header lines that each end with CR LF. Any
/// status is a success; errors as for fetch().
[[nodiscard]] Result<HttpReply> post(std::string_view url, std::string_view headers,
                                     std::string_view body);

/// PUT to an http URL on a loopback address; any 2xx is a success. Errors as for fetch().
[[nodiscard]] Result<void> put(std::string_view url, std::string_view content_type,
                               std::string_view body);

}  // namespace svc::emulator::media
