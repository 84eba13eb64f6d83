// A table of Markdown: aligned columns, cells wrapped to the terminal's width.
#pragma once

#include <string>
#include <vector>

#include "print/flow.h"

namespace svc::print {

/// The cells of a row, as they stand between its bars; `\|` and bars in code spans are not ends.
[[nodiscard]] std::vector<std::string> split_row(sv line);

/// Whether this is the row below a table's header: `|---|:--:|`.
[[nodiscard]] bool is_delimiter_row(sv line);

/// Collects rows. Column widths need all of them, so nothing shows before finish(); but a table
/// that is larger than k_most_rows or k_most_bytes settles them with what it has, and every later
/// row shows at once.
class MarkdownTable {
 public:
  static constexpr std::size_t k_most_rows = 200;
  static constexpr std::size_t k_most_bytes = 64U << 10U;
  static constexpr std::size_t k_most_columns = 32;

  explicit MarkdownTable(Flow& flow) : m_flow(flow) {}

  /// The header and the row below it.
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
  std::vector<std::size_t> m_words{};  ///< the longest word of each column
};

}  // namespace svc::print
