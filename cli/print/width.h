// The width of text on a terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace svc::print {

using sv = std::string_view;

/// Returns the columns that one line of `text` takes: two for wide characters, none for combining
/// ones. `text` must already be safe for a terminal (base/text.h `visible`).
[[nodiscard]] std::size_t display_width(sv text) noexcept;

/// Returns `text` in a form with the same width on every terminal: a composed emoji is shown as its
/// parts, without joiners, skin tones and variation selectors, on which terminals disagree. For
/// text that is redrawn or aligned in columns; `display_width` of it is exact.
[[nodiscard]] std::string steady(sv text);

/// Returns `text` cut to at most `columns` columns, with an ellipsis ("…", or "..." if the terminal
/// lacks UTF-8) in place of the rest. More than eight combining characters on one base are removed:
/// no terminal shows them, and a hundred thousand would stall it.
[[nodiscard]] std::string fit(sv text, std::size_t columns, bool utf8);

/// Wraps `text` at spaces into lines of at most `columns` columns; a longer word gets its own line.
/// Never returns an empty vector: an empty text is one empty line.
[[nodiscard]] std::vector<std::string> wrap(sv text, std::size_t columns);

/// Wraps the lines of `text` that are longer than `columns` at spaces, but not within a command in
/// backticks; nothing else changes, and a word longer than a line is left to the terminal.
[[nodiscard]] std::string fold(sv text, std::size_t columns);

}  // namespace svc::print
