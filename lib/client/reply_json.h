// The service's JSON as a document.
#pragma once

#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace svc {

/// Parses a text that check_json() has accepted. What strict parsers refuse all the same (lone
/// surrogates, ill-formed UTF-8) becomes U+FFFD; a text that is not JSON gives a discarded
/// document, which holds nothing. Never throws.
[[nodiscard]] nlohmann::json parse_reply(std::string_view text);

/// The same, with members in the order in which they stand.
[[nodiscard]] nlohmann::ordered_json parse_reply_in_order(std::string_view text);

}  // namespace svc
