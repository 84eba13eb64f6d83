// Formats of text values: phone numbers, IP ranges, call targets.
#pragma once

#include <string>
#include <string_view>

#include "catalogue/model.h"

namespace svc::request {

/// Whether `text` has that format; always true for TextForm::Any.
[[nodiscard]] bool has_form(TextForm form, std::string_view text);

/// The expected format, for an error: "a phone number such as +14155550100".
[[nodiscard]] std::string_view form_words(TextForm form);

/// `text` as it is sent: a country code in upper case.
[[nodiscard]] std::string in_form(TextForm form, std::string text);

/// A suggestion for what was probably meant, in a valid format; "" if there is none.
[[nodiscard]] std::string nearest_form(TextForm form, std::string_view text);

}  // namespace svc::request
