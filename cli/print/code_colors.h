// Source code with its keywords, strings, comments and numbers told apart, simply.
#pragma once

#include <span>
#include <string>

#include "print/flow.h"

namespace svc::print {

/// What a language looks like, as far as colours need it.
struct Language {
  sv names{};          ///< as fences name it, each between blanks: " cpp c++ cc "
  sv keywords{};       ///< likewise
  sv line_comment{};   ///< what begins a comment to the line's end; "" when there is none
  sv other_comment{};  ///< a second one
  sv block_begin{};    ///< of comments over several lines
  sv block_end{};
  sv quotes{};            ///< characters that begin and end a text
  sv long_quote{};        ///< begins and ends a text over several lines
  bool any_case = false;  ///< keywords in any case
};

/// Paints one code block, line by line.
class CodeColors {
 public:
  /// For the info of a fence: "python", "c++ title=x". An unknown language is not painted.
  explicit CodeColors(sv info = {});

  /// The line (safe for a terminal, without its newline) with our escape sequences.
  [[nodiscard]] std::string paint(sv line);

 private:
  [[nodiscard]] std::size_t token(sv line, std::size_t at, unsigned& look);
  [[nodiscard]] std::size_t text_end(sv line, std::size_t at) const;
  [[nodiscard]] std::size_t word(sv line, std::size_t at, unsigned& look) const;

  const Language* m_language = nullptr;
  bool m_diff = false;
  sv m_until{};  ///< what ends the comment or text that goes over lines
  unsigned m_until_look = 0;
};

}  // namespace svc::print
