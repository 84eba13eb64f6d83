// How much room text takes on a terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace svc::print {

using sv = std::string_view;

/// The columns that one line of `text` takes: two for wide characters, none for combining ones.
/// `text` must be safe for a terminal already (base/text.h `visible`).
[[nodiscard]] std::size_t display_width(sv text) noexcept;

/// `text` in a form that takes the same room on every terminal: an emoji that is joined of several
/// is shown as these, without joiners, skin tones and variation selectors, on which terminals do
/// not agree. For what is drawn anew or stands in columns; `display_width` of it is right.
[[nodiscard]] std::string steady(sv text);

/// `text` cut so that it takes at most `columns` columns, with an ellipsis ("…", or "..." where the
/// terminal has no UTF-8) in place of what was cut. More than eight combining characters on one
/// base are left out: no terminal shows them, and a hundred thousand would stall it.
[[nodiscard]] std::string fit(sv text, std::size_t columns, bool utf8);

/// `text` broken at blanks into lines of at most `columns` columns; a longer word stands alone.
/// Never empty: an empty text is one empty line.
[[nodiscard]] std::vector<std::string> wrap(sv text, std::size_t columns);

/// `text` with its lines broken at blanks where they are longer than `columns`, but not within a
/// command in backticks; nothing else changes, and a word longer than a line is left to the
/// terminal.
[[nodiscard]] std::string fold(sv text, std::size_t columns);

}  // namespace svc::print
