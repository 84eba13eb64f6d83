// Plain text that arrives in chunks, wrapped between words.
#pragma once

#include <string>

#include "base/visible.h"
#include "print/flow.h"
#include "print/live_tail.h"

namespace svc::print {

/// Escapes text and wraps it at the terminal's width as it arrives; lines keep their indentation.
class WrappedText {
 public:
  /// `columns` is called at the start of every line; empty: the terminal's width at the start.
  /// `rows` of the screen; 0: what was written cannot be redrawn.
  WrappedText(Terminal terminal, Flow::Measure columns, std::size_t rows, unsigned look)
      : m_flow(terminal, std::move(columns), rows), m_look(look) {}

  /// Takes the next chunk; returns the output.
  [[nodiscard]] std::string feed(sv piece);

  /// Ends the text; returns its rest and a newline after an open line. Can be reused.
  [[nodiscard]] std::string finish();

  /// Returns the cursor's column after the output; 0 at the start of a line.
  [[nodiscard]] std::size_t column() const noexcept {
    return m_flow.rows() > 0 ? m_tail.column() : m_flow.column();
  }

 private:
  [[nodiscard]] std::string write();

  Flow m_flow;
  unsigned m_look;
  VisibleStream m_visible{};
  LiveTail m_tail{};
  std::string m_indent{};  ///< of the line, while it is blank
  bool m_begun = false;    ///< the line has text
  std::size_t m_words = 0;
};

}  // namespace svc::print
