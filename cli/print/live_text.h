// Changing text at the bottom of a terminal, rewritten in place until it is final.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "print/streams.h"

namespace svc::print {

/// Writes nothing if not `wanted`, or if `err` is a dumb terminal or not a terminal.
class LiveText {
 public:
  using Measure = std::function<int()>;

  /// `columns` returns the terminal's width for every drawing, because the window may be resized.
  /// Empty: the width found at the start.
  LiveText(Out& err, bool wanted, Measure columns = {});
  LiveText(const LiveText&) = delete;
  LiveText& operator=(const LiveText&) = delete;
  ~LiveText();

  [[nodiscard]] bool enabled() const noexcept { return m_enabled; }

  /// Draws the last `k_max_rows` rows of `text` (untrusted; escaped here), wrapped, and below it
  /// `status`: one row of trusted text, unless empty. Replaces what was drawn before.
  void show(sv text, sv status = {});
  /// Clears the text so that something else can be written; the next show() draws it again.
  void clear();

  static constexpr std::size_t k_max_rows = 6;

 private:
  [[nodiscard]] std::string erase() const;
  [[nodiscard]] std::size_t columns() const;

  Out& m_err;
  bool m_enabled;
  Measure m_measure;
  std::vector<std::size_t> m_widths{};  ///< of the rows on the screen
  std::string m_last{};                 ///< last text drawn, to skip redrawing the same
};

}  // namespace svc::print
