// An Out whose bytes a test can read, and simulated terminals.
#pragma once

#include <string>
#include <utility>

#include "print/streams.h"

namespace svc::test {

/// A terminal with that width, UTF-8 and no color.
[[nodiscard]] inline print::Terminal tty(int columns = 80) {
  print::Terminal terminal;
  terminal.is_tty = true;
  terminal.columns = columns;
  terminal.utf8 = true;
  return terminal;
}

[[nodiscard]] inline print::Terminal color_tty(int columns = 80) {
  print::Terminal terminal = tty(columns);
  terminal.color = true;
  return terminal;
}

/// Everything written to `out` is in text() once it is flushed.
class Captured {
 public:
  explicit Captured(print::Terminal terminal = {}) : m_out(print::string_sink(m_text), terminal) {}

  [[nodiscard]] print::Out& out() noexcept { return m_out; }
  [[nodiscard]] std::string text() {
    (void)m_out.flush();
    return m_text;
  }
  /// Returns the text so far and clears it.
  std::string take() {
    (void)m_out.flush();
    return std::exchange(m_text, {});
  }

 private:
  std::string m_text{};
  print::Out m_out;
};

}  // namespace svc::test
