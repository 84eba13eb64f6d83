// Comparing what a case expects with what came. Each function gives a description of the
// difference, safe to print on a terminal, or an empty text when there is none.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "support/fault_server.h"

namespace svc::test {

/// Equal, byte for byte; else both around the first line that differs.
[[nodiscard]] std::string compare_text(std::string_view expected, std::string_view actual);

enum class Members : std::uint8_t { Exact, Further };

/// Equal as JSON. The string "<any>" in `expected` matches any value. With Members::Further objects
/// may hold members that `expected` does not name.
[[nodiscard]] std::string compare_json(std::string_view expected, std::string_view actual,
                                       Members members);

/// Each line of `patterns` is a POSIX extended regular expression, without regard to case; all
/// (or with `wanted` false none) must match somewhere in `actual`.
[[nodiscard]] std::string compare_patterns(std::string_view patterns, std::string_view actual,
                                           bool wanted);

/// Compares a request with the lines of a `request` section (case_file.h).
[[nodiscard]] std::string compare_request(std::string_view expected, const RecordedRequest& actual);

enum class Controls : std::uint8_t { None, Colour };

/// The first byte that must not reach a terminal: a control character but tab, newline and carriage
/// return; a C1 control; ill-formed UTF-8. With Controls::Colour `ESC [ … letter` passes, and
/// so does a picture in kitty's or iTerm2's form.
[[nodiscard]] std::string find_control(std::string_view text, Controls allowed);

/// What a sanitizer writes, when `text` holds it.
[[nodiscard]] std::string find_sanitizer_report(std::string_view text);

/// `text` for the report of a failure: visible, indented, at most `lines` lines from `first` on.
[[nodiscard]] std::string show(std::string_view text, std::size_t first = 0,
                               std::size_t lines = 30);

}  // namespace svc::test
