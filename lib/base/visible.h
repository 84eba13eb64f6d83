// Foreign text for a terminal, in pieces.
#pragma once

#include <string>
#include <string_view>

#include "base/text.h"

namespace svc {

/// True for code points that change how a terminal shows other text, or that nobody can see: C1
/// controls, line and paragraph separators, bidirectional controls, zero-width characters, fillers,
/// tags and invisible operators. ASCII is never among them. Variation selectors that belong to
/// ordinary emoji (U+FE00 to U+FE0F) are not either.
[[nodiscard]] bool is_hidden_code_point(char32_t code_point) noexcept;

/// `visible` for a text that arrives in pieces cut anywhere, also inside a code point or between CR
/// and LF: the pieces put together give exactly what `visible` gives for the whole.
class VisibleStream {
 public:
  explicit VisibleStream(Lines lines = Lines::Keep) noexcept : m_lines(lines) {}

  /// The next piece, made safe. At most three bytes are held back for the next call.
  [[nodiscard]] std::string feed(sv piece);

  /// What was held back: the text has ended. The stream may be used anew.
  [[nodiscard]] std::string finish();

 private:
  Lines m_lines;
  std::string m_held{};
};

}  // namespace svc
