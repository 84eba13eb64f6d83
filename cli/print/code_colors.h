// Simple syntax highlighting: keywords, strings, comments and numbers.
#pragma once

#include <span>
#include <string>

#include "print/flow.h"

namespace svc::print {

/// What a language looks like, as far as colors need it.
struct Language {
  sv names{};          ///< names used in fences, each between spaces: " cpp c++ cc "
  sv keywords{};       ///< in the same format
  sv line_comment{};   ///< starts a comment up to the end of the line; "" if the language has none
  sv other_comment{};  ///< an alternative start of a line comment
  sv block_begin{};    ///< starts a multi-line comment
  sv block_end{};
  sv quotes{};            ///< characters that start and end a string
  sv long_quote{};        ///< starts and ends a multi-line string
  bool any_case = false;  ///< keywords are case-insensitive
};

/// Highlights one code block, line by line.
class CodeColors {
 public:
  /// `info` is the fence's info string: "python", "c++ title=x". An unknown language is not
  /// highlighted.
  explicit CodeColors(sv info = {});

  /// Returns `line` (already safe for a terminal, without its newline) with escape sequences.
  [[nodiscard]] std::string paint(sv line);

 private:
  [[nodiscard]] std::size_t token(sv line, std::size_t at, unsigned& look);
  [[nodiscard]] std::size_t text_end(sv line, std::size_t at) const;
  [[nodiscard]] std::size_t word(sv line, std::size_t at, unsigned& look) const;

  const Language* m_language = nullptr;
  bool m_diff = false;
  sv m_until{};  ///< end marker of an open multi-line comment or string
  unsigned m_until_look = 0;
};

}  // namespace svc::print
