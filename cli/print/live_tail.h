// The end of a text on a terminal, redrawn until it is final.
#pragma once

#include <string>
#include <string_view>

#include "print/flow.h"

namespace svc::print {

/// Writes a text whose end may still change: `fixed` output is appended and never changes, the
/// `tail` behind it is replaced by the next call. What the terminal already shows is not written
/// again. Where it differs, the rows from the first difference on are redrawn in one synchronized
/// update (mode 2026); other terminals ignore that mode. Of a tail that is higher than the screen,
/// only the beginning is shown, because what has left the screen cannot be redrawn. Text and looks
/// must come from Flow.
class LiveTail {
 public:
  /// Returns the bytes to write. `columns` and `rows`: the terminal's size now.
  [[nodiscard]] std::string advance(sv fixed, sv tail, std::size_t columns, std::size_t rows);

  /// Returns the cursor's column after the output, or k_unknown_column.
  [[nodiscard]] std::size_t column() const noexcept { return m_column; }

 private:
  std::string m_row{};   ///< fixed output on the screen row where the tail starts
  std::string m_tail{};  ///< shown behind it
  std::size_t m_column = 0;
};

}  // namespace svc::print
