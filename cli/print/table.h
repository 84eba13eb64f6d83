// Lists as tables: aligned for people, tab-separated for programs.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/result.h"
#include "catalogue/model.h"
#include "print/streams.h"

namespace svc::print {

enum class Reader : std::uint8_t { Person, Program };

/// What `item` has at the column's path (dots go into objects, numbers into arrays; an empty path
/// is the item itself; of alternatives between `|` the first that is there counts), as text.
/// Missing members and null are empty.
///
/// |          | Person                        | Program                       |
/// | Text     | as it is; lists joined        | the same                      |
/// | Count    | the number, or how many items | the same, with all its digits |
/// | Tally    | the same, but nothing for a zero, a false or what is empty    |
/// | Bytes    | "1.5 kB"                      | the number                    |
/// | Seconds  | "12.34 s"                     | the number                    |
/// | UnixTime | "2026-04-16 07:19" local time | RFC 3339, UTC                 |
/// | Ticks    | "$0.0042"                     | the same; nothing is rounded  |
/// | List     | items joined by ", "; where the path goes through arrays, of all their items |
/// | Cents …  | "$12.50"                      | the same; nothing is rounded  |
/// | Month    | "2026-04"; of a card when it expires, "04/2026"               |
/// | KeyState | "active", "disabled", "expired"                               |
///
/// Numbers that come as JSON strings count as numbers. A value of another shape than the column
/// says is shown as it is.
[[nodiscard]] std::string cell_text(const nlohmann::json& item, const Column& column,
                                    Reader reader);

/// What stands at a path without alternatives, but for null: through arrays on the way in each of
/// their items. The pointers go into `document`.
[[nodiscard]] std::vector<const nlohmann::json*> find_all(const nlohmann::json& document, sv path);

/// A table that is written row by row. On a terminal: a header, columns aligned by display width
/// and cut so that no line is wider than the terminal; widths come from the first thousand rows,
/// later ones are written as they arrive. Elsewhere: no header, cells separated by tabs, each row
/// written at once; tabs and newlines inside cells are `\t` and `\n`. Does not flush.
///
/// Columns that are a detail come last, and only with `details`: for a person below each row, with
/// what its line had no room for.
class Table {
 public:
  Table(Out& out, std::span<const Column> columns, bool details = false);

  Result<void> add(const nlohmann::json& item);
  /// The same with the cells' texts, one for each column.
  Result<void> add_cells(std::vector<std::string> cells);
  /// Writes what is held back. Nothing is written for a table without rows.
  Result<void> finish();

  [[nodiscard]] std::size_t rows() const noexcept { return m_rows; }
  /// How many columns the terminal has no room for; known after finish().
  [[nodiscard]] std::size_t hidden() const noexcept {
    return m_widths.empty() || m_details ? 0 : m_main - m_widths.size();
  }

 private:
  using Row = std::vector<std::string>;

  [[nodiscard]] Result<void> write_tabbed(const Row& cells);
  [[nodiscard]] Result<void> write_held();
  [[nodiscard]] Result<void> write_row(const Row& row, bool header);
  [[nodiscard]] Result<void> write_rest(const Row& row);

  Out& m_out;
  std::vector<Column> m_columns;
  bool m_details;
  std::size_t m_main = 0;  ///< the columns before the details
  std::size_t m_rows = 0;
  std::vector<Row> m_held{};
  std::vector<std::size_t> m_widths{};  ///< empty until they are settled
};

/// Widths that fit into `columns` with two blanks between them: the widest give way first, but for
/// the first column, which keeps up to half of the line. Columns at the end for which no `useful`
/// width is left (10, unless given) are left out.
[[nodiscard]] std::vector<std::size_t> settle_widths(std::vector<std::size_t> widths,
                                                     std::size_t columns,
                                                     const std::vector<std::size_t>& useful = {});

}  // namespace svc::print
