// Texts that must have a form: phone numbers, address ranges, targets of a call.
#pragma once

#include <string>
#include <string_view>

#include "catalogue/model.h"

namespace svc::request {

/// Whether `text` has that form; always for TextForm::Any.
[[nodiscard]] bool has_form(TextForm form, std::string_view text);

/// What is wanted, for an error: "a phone number such as +14155550100".
[[nodiscard]] std::string_view form_words(TextForm form);

/// `text` as it is sent: a country in capitals.
[[nodiscard]] std::string in_form(TextForm form, std::string text);

/// What was probably meant, which has the form; "" when nobody can tell.
[[nodiscard]] std::string nearest_form(TextForm form, std::string_view text);

}  // namespace svc::request
