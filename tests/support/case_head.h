// The `key: value` lines of a case; the keys are described in case_file.h.
#pragma once

#include "support/case_file.h"

namespace svc::test {

/// Reads one line of the head into `into`. Usage, naming the line, when it is wrong.
[[nodiscard]] Result<void> read_head_line(Case& into, std::string_view line_text, int line);

/// Cuts the first word off `rest`.
[[nodiscard]] std::string_view take_word(std::string_view& rest);

/// A Usage error that names the line.
[[nodiscard]] Error bad_line(int line, const std::string& what);

}  // namespace svc::test
