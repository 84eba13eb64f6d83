// JSON from the service as a document.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace svc {

/// A document that preserves the order of object fields.
using OrderedJson = nlohmann::ordered_json;

/// Parses JSON accepted by check_json(). Content that strict parsers still reject (lone surrogates,
/// ill-formed UTF-8) becomes U+FFFD. Text that is not JSON returns a discarded document without
/// content. Never throws.
[[nodiscard]] nlohmann::json parse_reply(std::string_view text);

/// Like parse_reply(), but preserves the order of fields.
[[nodiscard]] OrderedJson parse_reply_in_order(std::string_view text);

/// Formats the document on one line. Ill-formed UTF-8 becomes U+FFFD. Never throws.
[[nodiscard]] std::string compact_json(const nlohmann::json& document);
[[nodiscard]] std::string compact_json(const OrderedJson& document);

/// The field's value; null if it is absent or `object` is not an object.
[[nodiscard]] const nlohmann::json& member(const nlohmann::json& object, const char* name);

/// The field's string value; "" if it is absent or not a string, or `object` is not an object.
[[nodiscard]] std::string text_member(const nlohmann::json& object, const char* name);
[[nodiscard]] std::string text_member(const OrderedJson& object, const char* name);
/// The first of these fields that is not an empty text.
[[nodiscard]] std::string text_member(const nlohmann::json& object,
                                      std::initializer_list<const char*> names);

/// A string itself, nothing for null, and JSON for anything else.
[[nodiscard]] std::string plain_text(const nlohmann::json& value);
[[nodiscard]] std::string plain_text(const OrderedJson& value);

/// The text as a JSON string; null if it is empty.
[[nodiscard]] OrderedJson text_or_null(const std::string& text);

}  // namespace svc
