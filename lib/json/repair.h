// JSON that strict parsers refuse although its meaning is clear.
#pragma once

#include <string>
#include <string_view>

namespace svc {

/// `json` with ill-formed UTF-8 and lone surrogate escapes (`\ud800`) replaced by U+FFFD, and
/// numbers beyond what a double holds (`1e400`) by the largest one, so that a parser that insists
/// on Unicode and on numbers takes it. Everything else stays as it is, byte by byte; so does all of
/// a text from the place on where it is not JSON.
[[nodiscard]] std::string mend_json(std::string_view json);

}  // namespace svc
