// A Markdown table: aligned columns, cells wrapped to the terminal's width.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "print/flow.h"

namespace svc::print {

/// Splits a row at its bars; `\|` and bars in code spans do not split.
[[nodiscard]] std::vector<std::string> split_row(sv line);

/// Whether this is the row below a table's header: `|---|:--:|`.
[[nodiscard]] bool is_delimiter_row(sv line);

/// Lays out a table. Column widths depend on all rows, so the rows are written in finish();
/// preview() shows them before, in widths guessed from the header and the first row. A table that
/// outgrows the screen or k_most_bytes fixes the widths with the rows so far, while all of it can
/// still be redrawn, and writes each later row at once.
class MarkdownTable {
 public:
  static constexpr std::size_t k_most_bytes = 64U << 10U;
  static constexpr std::size_t k_max_columns = 32;

  /// Starts with the header and the row below it, which is empty if it has not arrived.
  /// `max_lines`: the height at which the widths are fixed.
  MarkdownTable(const Flow& flow, sv header, sv delimiter, std::size_t max_lines);
  void add(Flow& flow, sv line);
  void finish(Flow& flow);
  /// Writes the rows so far to a copy of the flow, unless they have been written.
  void preview(Flow& flow) const;

 private:
  enum class Side : std::uint8_t { Left, Middle, Right };
  using Row = std::vector<std::string>;
  using Widths = std::vector<std::size_t>;

  /// Widths of the columns.
  struct Layout {
    Widths widths{};
    bool listed = false;  ///< too narrow for columns, or plain: "header: cell" lines
    friend bool operator==(const Layout&, const Layout&) = default;
  };

  void measure(const Flow& flow, const Row& row);
  [[nodiscard]] Layout fit_to(const Flow& flow) const;
  [[nodiscard]] Layout guess(const Flow& flow) const;
  void shrink(Widths& widths, std::size_t available) const;
  [[nodiscard]] std::vector<std::string> head(const Flow& flow, const Layout& layout) const;
  [[nodiscard]] std::vector<std::string> row_lines(const Flow& flow, const Layout& layout,
                                                   const Row& row, bool header = false) const;
  [[nodiscard]] std::vector<std::string> listed_lines(const Flow& flow, const Row& row) const;
  [[nodiscard]] std::vector<std::string> lines(const Flow& flow, const Layout& layout) const;
  [[nodiscard]] std::string padded(const std::string& text, std::size_t used, std::size_t width,
                                   std::size_t column) const;
  void settle(Flow& flow);

  std::vector<Side> m_sides{};
  bool m_headed;  ///< the row below the header has arrived
  std::size_t m_max_lines;
  Row m_header{};
  std::vector<Row> m_rows{};
  std::size_t m_bytes = 0;
  std::size_t m_height = 0;  ///< of all rows in m_layout
  bool m_settled = false;
  Widths m_widths{};  ///< that the content needs
  Widths m_words{};   ///< longest word of each column
  Layout m_layout{};  ///< for the rows so far
  Layout m_shown{};   ///< of the preview
  std::vector<std::string> m_preview{};
};

}  // namespace svc::print
