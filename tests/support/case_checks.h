// Compares a case's expectations with the results. Each function returns a description of the
// difference, safe to print on a terminal, or an empty string if there is none.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "support/fault_server.h"

namespace svc::test {

/// Compares byte for byte; a difference shows both texts around the first differing line.
[[nodiscard]] std::string compare_text(std::string_view expected, std::string_view actual);

enum class Members : std::uint8_t { Exact, Further };

/// Compares as JSON. The string "<any>" in `expected` matches any value. With Members::Further,
/// objects may have fields that `expected` does not.
[[nodiscard]] std::string compare_json(std::string_view expected, std::string_view actual,
                                       Members members);

/// Each line of `patterns` is a case-insensitive POSIX extended regular expression; all of them
/// (or, if `wanted` is false, none) must match somewhere in `actual`.
[[nodiscard]] std::string compare_patterns(std::string_view patterns, std::string_view actual,
                                           bool wanted);

/// Compares a request with the lines of a `request` section (case_file.h).
[[nodiscard]] std::string compare_request(std::string_view expected, const RecordedRequest& actual);

enum class Controls : std::uint8_t { None, Color };

/// Finds the first byte that must not reach a terminal: a control character except tab, newline and
/// carriage return; a C1 control; ill-formed UTF-8. Controls::Color allows `ESC [ … letter` and
/// images in kitty's or iTerm2's format.
[[nodiscard]] std::string find_control(std::string_view text, Controls allowed);

/// Finds a sanitizer's report in `text`.
[[nodiscard]] std::string find_sanitizer_report(std::string_view text);

/// `text` for a failure message: printable, indented, at most `lines` lines from `first` on.
[[nodiscard]] std::string show(std::string_view text, std::size_t first = 0,
                               std::size_t lines = 30);

}  // namespace svc::test
