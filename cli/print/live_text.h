// Text at the bottom of a terminal that is still changing: rewritten in place until it is settled.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "print/streams.h"

namespace svc::print {

/// Off a terminal, on a dumb one, and when not wanted, nothing is ever written.
class LiveText {
 public:
  using Measure = std::function<int()>;

  /// `columns` tells the terminal's width at every drawing: the window may be resized. Empty: the
  /// width found at the start.
  LiveText(Out& err, bool wanted, Measure columns = {});
  LiveText(const LiveText&) = delete;
  LiveText& operator=(const LiveText&) = delete;
  ~LiveText();

  [[nodiscard]] bool enabled() const noexcept { return m_enabled; }

  /// Draws `text` (from outside: made harmless here) wrapped, at most its last `k_most_rows` rows,
  /// and below it `status`, one row, own text only, when it is not empty. What stood there before
  /// is gone.
  void show(sv text, sv status = {});
  /// Takes it away, so that something else can be written; the next show() brings it back.
  void clear();

  static constexpr std::size_t k_most_rows = 6;

 private:
  [[nodiscard]] std::string erase() const;
  [[nodiscard]] std::size_t columns() const;

  Out& m_err;
  bool m_enabled;
  Measure m_measure;
  std::vector<std::size_t> m_widths{};  ///< of the rows that are on the screen
  std::string m_last{};                 ///< what was drawn, not to draw the same again
};

}  // namespace svc::print
