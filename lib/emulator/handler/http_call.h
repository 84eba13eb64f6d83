// A request as it came over the wire, before routing; and the pieces of its target.
#pragma once

#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/message.h"

namespace svc::emulator {

class BodyFile;  // body_file.h

struct HttpCall {
  std::string method{};
  std::string target{};  ///< path and query, as sent
  std::vector<Header> headers{};
  std::string body{};
  bool from_loopback = true;                    ///< the peer's address is a loopback address
  bool tls = false;                             ///< it came over TLS
  std::shared_ptr<const BodyFile> body_file{};  ///< holds the body instead
  std::stop_token stop{};                       ///< requested when nobody waits for the answer

  /// The target up to the question mark, still encoded.
  [[nodiscard]] std::string_view raw_path() const;
  /// The value of the first header of that name, without regard to case; "" when there is none.
  [[nodiscard]] std::string_view header(std::string_view name) const;
};

/// Undoes percent-encoding; a percent sign without two hexadecimal digits stays.
[[nodiscard]] std::string percent_decode(std::string_view text, bool plus_is_blank = false);

/// The query of a target, decoded, in order.
[[nodiscard]] std::vector<Header> parse_query(std::string_view target);

}  // namespace svc::emulator
