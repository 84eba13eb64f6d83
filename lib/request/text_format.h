// Formats of text values: phone numbers, IP ranges, call targets.
#pragma once

#include <string>
#include <string_view>

#include "catalogue/model.h"

namespace svc::request {

/// Whether `text` has that format; always true for TextFormat::Any.
[[nodiscard]] bool matches_format(TextFormat form, std::string_view text);

/// The expected format, for an error: "a phone number such as +14155550100".
[[nodiscard]] std::string_view describe_format(TextFormat form);

/// `text` as it is sent: a country code in upper case.
[[nodiscard]] std::string normalize_format(TextFormat form, std::string text);

/// A suggestion for what was probably meant, in a valid format; "" if there is none.
[[nodiscard]] std::string suggest_format(TextFormat form, std::string_view text);

}  // namespace svc::request
