// JSON for the text operations, with fields in their original order.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "emulator/handler/handler.h"

namespace svc::emulator::text {

using sv = std::string_view;
using Json = nlohmann::ordered_json;

/// Returns the document, or null if `text` is not JSON.
[[nodiscard]] Json parse_json(sv text);

/// Compact; never throws, invalid UTF-8 becomes U+FFFD.
[[nodiscard]] std::string dump(const Json& value);

/// Returns the field with that name, or null if `object` is not an object or the field is missing
/// or null.
[[nodiscard]] const Json* member(const Json& object, sv name);

/// Returns the field if it has that type, otherwise the fallback. Integers beyond 64 bits do not
/// count as integers.
[[nodiscard]] std::string get_string(const Json& object, sv name, sv fallback = {});
[[nodiscard]] bool get_bool(const Json& object, sv name, bool fallback);
[[nodiscard]] std::optional<std::int64_t> get_integer(const Json& object, sv name);
[[nodiscard]] std::optional<double> get_number(const Json& object, sv name);

/// The text, or null when it is empty.
[[nodiscard]] Json or_null(const std::string& text);

/// The value, or null when there is none.
template <typename Value, typename Null = Json>
[[nodiscard]] Null or_null(const std::optional<Value>& value) {
  return value ? Null(*value) : Null();
}

/// Returns an array of the results of `make` for each element.
template <typename Range, typename Make, typename List = Json>
[[nodiscard]] List json_list(const Range& range, const Make& make) {
  List list = List::array();
  for (const auto& element : range) list.push_back(make(element));
  return list;
}

/// Returns the field unchanged, or the fallback.
[[nodiscard]] Json value_or(const Json& object, sv name, const Json& fallback);

/// Returns the field unchanged, or JSON null.
[[nodiscard]] Json copy_of(const Json& object, sv name);

}  // namespace svc::emulator::text

namespace svc::emulator {
/// 200, with the document as the body.
[[nodiscard]] Response json_response(const text::Json& body);

}  // namespace svc::emulator
