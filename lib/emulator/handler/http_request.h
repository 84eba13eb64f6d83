// A request as it came over the wire, before routing, with its body; and the pieces of its target.
#pragma once

#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/file_backed_buffer.h"
#include "base/message.h"

namespace svc::emulator {

struct HttpRequest {
  std::string method{};
  std::string target{};  ///< path and query, as sent
  std::vector<Header> headers{};
  std::string body{};
  std::string scope{};        ///< the test that it belongs to; empty: none
  bool from_loopback = true;  ///< the peer has a loopback address
  bool tls = false;           ///< received over TLS
  std::shared_ptr<const FileBackedBuffer>
      body_file{};         ///< contains the body instead, if Route::spool is set
  std::stop_token stop{};  ///< of a route with RunOn::Worker: requested when the client no longer
                           ///< waits for the response

  /// Returns the target up to the question mark, still encoded.
  [[nodiscard]] std::string_view raw_path() const;
  /// Returns the value of the first header with this name, case-insensitively; "" if there is none.
  [[nodiscard]] std::string_view header(std::string_view name) const;
};

/// Returns the first header with this name, case-insensitively; null if there is none.
[[nodiscard]] const Header* find_header(const std::vector<Header>& headers, std::string_view name);

/// Precedes a test's name in a path: every path exists below /_test/NAME, too.
inline constexpr std::string_view k_scope_prefix = "/_test/";

/// Sets the scope of a request: the header X-Test-Id, the name in `/_test/NAME/…`, which is removed
/// from the target, or that in the key `svc-demo-key.NAME`, which is removed from the key.
void take_scope(HttpRequest& request);

/// Returns the query of a target, decoded, in order.
[[nodiscard]] std::vector<Header> parse_query(std::string_view target);

}  // namespace svc::emulator
