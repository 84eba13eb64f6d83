// The `key: value` lines of a case; the keys are described in case_file.h.
#pragma once

#include "support/case_file.h"

namespace svc::test {

/// Parses one line of the head into `into`. Usage, with the line number, if it is invalid.
[[nodiscard]] Result<void> read_head_line(Case& into, std::string_view line_text, int line);

/// Removes and returns the first word of `rest`.
[[nodiscard]] std::string_view take_word(std::string_view& rest);

/// A Usage error with the line number.
[[nodiscard]] Error bad_line(int line, const std::string& what);

}  // namespace svc::test
