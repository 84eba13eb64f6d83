// Streams external text to a terminal safely.
#pragma once

#include <string>
#include <string_view>

#include "base/text.h"

namespace svc {

/// True for invisible code points and those that change how a terminal displays other text: C1
/// controls, line and paragraph separators, bidirectional controls, zero-width characters, fillers,
/// tags and invisible operators. False for all of ASCII, and for the variation selectors of
/// ordinary emoji (U+FE00 to U+FE0F).
[[nodiscard]] bool is_hidden_code_point(char32_t code_point) noexcept;

/// `visible` for text that arrives in chunks split anywhere, even inside a code point or between CR
/// and LF: the concatenated output equals that of `visible` for the whole text.
class VisibleStream {
 public:
  explicit VisibleStream(Lines lines = Lines::Keep) noexcept : m_lines(lines) {}

  /// Returns the next chunk, made safe. Up to three bytes are buffered until the next call.
  [[nodiscard]] std::string feed(sv chunk);

  /// Returns the buffered rest at the end of the text. The stream can then be reused.
  [[nodiscard]] std::string finish();

 private:
  Lines m_lines;
  std::string m_held{};
};

}  // namespace svc
