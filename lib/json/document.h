// The service's JSON as a document.
#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace svc {

/// A document whose members keep their order.
using OrderedJson = nlohmann::ordered_json;

/// Parses a text that check_json() has accepted. What strict parsers refuse all the same (lone
/// surrogates, ill-formed UTF-8) becomes U+FFFD; a text that is not JSON gives a discarded
/// document, which holds nothing. Never throws.
[[nodiscard]] nlohmann::json parse_reply(std::string_view text);

/// The same, with members in the order in which they stand.
[[nodiscard]] OrderedJson parse_reply_in_order(std::string_view text);

/// The document as text in one line. What is not UTF-8 in it becomes U+FFFD. Never throws.
[[nodiscard]] std::string compact_json(const nlohmann::json& document);
[[nodiscard]] std::string compact_json(const OrderedJson& document);

/// The member; null when it is absent or `object` is not an object.
[[nodiscard]] const nlohmann::json& member(const nlohmann::json& object, const char* name);

/// The member as text; "" when it is absent or no string, or `object` is no object.
[[nodiscard]] std::string text_member(const nlohmann::json& object, const char* name);
[[nodiscard]] std::string text_member(const OrderedJson& object, const char* name);

}  // namespace svc
