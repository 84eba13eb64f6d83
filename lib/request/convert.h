// One value as typed -> JSON, checked against its field, with errors that name flag, value and
// what is allowed.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"
#include "catalogue/model.h"
#include "json/document.h"

namespace svc::request {

/// How values are read that do not stand for themselves.
struct Reading {
  std::int64_t now = unix_now();  ///< what a Kind::Time counts from
  bool cents = false;             ///< a Kind::Money is cents, not dollars
};

/// Converts and checks `text` for `field`. `@file` is read for Kind::Json, Kind::TextOrJson and
/// fields with file_text; `\@` stands for a literal @. Usage on any misfit.
[[nodiscard]] Result<OrderedJson> convert(const Field& field, std::string_view text,
                                          const Reading& reading = {});

/// Usage for a blank text where the catalogue wants one that says something.
[[nodiscard]] Result<void> check_filled(const Field& field, std::string_view text);

/// Checks a value that the tool itself uses, as convert() would.
[[nodiscard]] Result<void> check_value(const Field& field, std::string_view text);

/// The text of a Text value: the content of `@file`, `\@…` unescaped, or `text` itself; UTF-8 or
/// Usage. `name` is for the error: "--system".
[[nodiscard]] Result<std::string> resolve_text(std::string_view name, std::string_view text);

/// read_file() with the flag's name in front of its error.
[[nodiscard]] Result<std::string> read_named_file(std::string_view name, const std::string& path,
                                                  std::uint64_t max_bytes = 64ULL << 20U);

/// Parses JSON given by the user: UTF-8, depth, syntax with line and column. `name` as above.
[[nodiscard]] Result<OrderedJson> parse_user_json(std::string_view name, std::string_view text);

/// Reads `@file` (or gives `text` back) and parses it.
[[nodiscard]] Result<OrderedJson> resolve_json(std::string_view name, std::string_view text);

/// "--temperature".
[[nodiscard]] std::string flag_name(const Field& field);

/// `form` with its placeholders filled in (Field::stands_for).
[[nodiscard]] OrderedJson fill_template(std::string_view form, std::string_view value);

}  // namespace svc::request
