// A Markdown table: aligned columns, cells wrapped to the terminal's width.
#pragma once

#include <string>
#include <vector>

#include "print/flow.h"

namespace svc::print {

/// Splits a row at its bars; `\|` and bars in code spans do not split.
[[nodiscard]] std::vector<std::string> split_row(sv line);

/// Whether this is the row below a table's header: `|---|:--:|`.
[[nodiscard]] bool is_delimiter_row(sv line);

/// Collects rows. Column widths depend on all rows, so nothing is shown before finish(); a table
/// larger than k_max_rows or k_most_bytes fixes them with the rows so far, and shows each later
/// row at once.
class MarkdownTable {
 public:
  static constexpr std::size_t k_max_rows = 200;
  static constexpr std::size_t k_most_bytes = 64U << 10U;
  static constexpr std::size_t k_max_columns = 32;

  explicit MarkdownTable(Flow& flow) : m_flow(flow) {}

  /// Starts with the header and the row below it.
  void begin(sv header, sv delimiter);
  void add(sv line);
  void finish() {
    if (!m_settled) settle();
  }

 private:
  enum class Side : std::uint8_t { Left, Middle, Right };
  using Row = std::vector<std::string>;

  [[nodiscard]] Flow flow_cell(sv cell, std::size_t width, unsigned look) const;
  [[nodiscard]] std::vector<std::string> cell_lines(sv cell, std::size_t width, unsigned look,
                                                    std::vector<std::size_t>& widths) const;
  void settle();
  void measure();
  void shrink(std::size_t available);
  void write_row(const Row& row, bool header);
  void write_listed(const Row& row);
  [[nodiscard]] std::string padded(const std::string& text, std::size_t used,
                                   std::size_t column) const;

  Flow& m_flow;
  std::vector<Side> m_sides{};
  Row m_header{};
  std::vector<Row> m_rows{};
  std::size_t m_bytes = 0;
  bool m_settled = false;
  bool m_listed = false;  ///< too narrow for columns: "header: cell" lines
  std::vector<std::size_t> m_widths{};
  std::vector<std::size_t> m_words{};  ///< longest word of each column
};

}  // namespace svc::print
