// Converts one value as typed to JSON and checks it; errors contain the flag, the value and what is
// allowed.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"
#include "catalogue/model.h"
#include "json/document.h"

namespace svc::request {

struct Given;

/// Options for reading values.
struct ConvertOptions {
  std::int64_t now = unix_now();  ///< base of a relative Kind::Time
  bool cents = false;             ///< Kind::Money is in cents, not dollars
  bool literal = false;           ///< the value is literal: see Given
};

/// Converts and checks `text` for `field`. `@file` is read for Kind::Json, Kind::TextOrJson and
/// fields with file_text; `\@` is a literal @. Usage for an invalid value.
[[nodiscard]] Result<OrderedJson> convert(const Field& field, std::string_view text,
                                          const ConvertOptions& options = {});

/// Usage for blank text in a field that must not be blank.
[[nodiscard]] Result<void> check_not_blank(const Field& field, std::string_view text);

/// Checks a value used by svc itself, as convert() does.
[[nodiscard]] Result<void> check_value(const Given& given);

/// Resolves the value of a text field: the content of `@file`, `\@…` unescaped, or the text itself.
/// Usage unless it is UTF-8. `name` is for the error: "--system".
[[nodiscard]] Result<std::string> resolve_text(std::string_view name, const Given& given);
[[nodiscard]] Result<std::string> resolve_text(std::string_view name, std::string_view text,
                                               bool literal);

/// read_file() with the flag's name before its error.
[[nodiscard]] Result<std::string> read_named_file(std::string_view name, const std::string& path,
                                                  std::uint64_t max_bytes = 64ULL << 20U);

/// Parses JSON from the user: UTF-8, depth, syntax with line and column. `name` as in
/// resolve_text().
[[nodiscard]] Result<OrderedJson> parse_user_json(std::string_view name, std::string_view text);

/// Reads `@file` (or uses `text` itself) and parses it.
[[nodiscard]] Result<OrderedJson> resolve_json(std::string_view name, std::string_view text);

/// The flag or positional argument in errors: "--temperature".
[[nodiscard]] std::string flag_name(const Field& field);

/// Fills in the placeholders of `form` (Field::stands_for).
[[nodiscard]] OrderedJson fill_template(std::string_view form, std::string_view value);

}  // namespace svc::request
