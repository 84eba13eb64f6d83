// Lists as tables: aligned for people, tab-separated for programs.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/result.h"
#include "print/columns.h"
#include "print/streams.h"

namespace svc::print {

/// Log: a person who reads it later and elsewhere.
enum class Reader : std::uint8_t { Person, Program, Log };

/// Returns the text of `item` at the column's path. Dots enter objects, numbers arrays; an empty
/// path is the item itself; of alternatives separated by `|`, the first that exists is used. A name
/// also matches its twin in the other case ("createTime" for "create_time"), and a name in
/// parentheses is a wrapper that may be missing. Missing fields and null are empty.
///
/// |          | Person                        | Program                       |
/// | None, Url| unchanged, or enum_words(); lists joined | the same           |
/// | Count    | the number, or the item count | the same, with all its digits |
/// | Tally    | as Count, but empty for zero, false and empty values          |
/// | Bytes    | "1.5 kB"                      | the number                    |
/// | Seconds  | "12.34 s"                     | the number                    |
/// | UnixTime | "2026-04-16 07:19" local time | RFC 3339, UTC; also for a log |
/// | Ticks    | "$0.0042", as format_cost()   | all digits                    |
/// | List     | items joined by ", ", from all items of arrays on the path    |
/// | Cents …  | "$12.50"                      | the same, without rounding    |
/// | Month    | "2026-04"; for a card its expiry date, "04/2026"              |
/// | KeyState | "active", "disabled", "expired"                               |
///
/// Numbers in JSON strings are treated as numbers. A value of an unexpected type is shown
/// unchanged.
[[nodiscard]] std::string cell_text(const nlohmann::json& item, const Column& column,
                                    Reader reader);

/// Returns the values at a path without alternatives, except null; an array on the way is searched
/// in each of its items. The pointers refer to `document`.
[[nodiscard]] std::vector<const nlohmann::json*> find_all(const nlohmann::json& document, sv path);
/// The user's choices for a list.
struct ListChoice {
  std::vector<std::string> columns{};  ///< titles, in this order; empty: all
  bool wide = false;                   ///< never truncate a cell or leave out a column
  bool details = false;                ///< show detail columns too
  bool log = false;                    ///< format for Reader::Log
  char separator = '\0';  ///< write CSV (','), tab-separated values or a Markdown table ('|')
};

/// Returns an enum value without the enum's name, if `member` is an enum field: "processed" for
/// DOCUMENT_STATUS_PROCESSED of `status`. Any other value is unchanged.
[[nodiscard]] std::string enum_words(sv member, std::string value);

/// A table that is written row by row. On a terminal: a header, and columns aligned by display
/// width and cut so that no line is wider than the terminal; widths are based on the first thousand
/// rows, later rows are written as they arrive. Otherwise: no header, cells separated by tabs, each
/// row written at once; tabs and newlines inside cells become `\t` and `\n`. With a separator there
/// is a header, with the names that --columns takes. For a screen reader: "Label: value" lines, and
/// an empty line between rows. Does not flush.
///
/// Detail columns come last, and only with `details`: on a terminal, below each row, together with
/// the columns that the line had no room for.
class Table {
 public:
  /// Ignores chosen names that are not columns: see check_columns().
  Table(Out& out, std::span<const Column> columns, const ListChoice& choice = {});

  Result<void> add(const nlohmann::json& item);
  /// The same with the cells' texts, one per column.
  Result<void> add_cells(std::vector<std::string> cells);
  /// Writes buffered rows. Nothing is written for a table without rows, but for its header if it
  /// has a separator.
  Result<void> finish() {
    if (m_separator != '\0' && m_rows == 0) return write_names();
    return m_held.empty() ? Result<void>{} : write_held();
  }

  [[nodiscard]] std::size_t rows() const noexcept { return m_rows; }
  /// Returns how many columns the terminal has no room for; known after finish().
  [[nodiscard]] std::size_t hidden() const noexcept { return m_details ? 0 : m_hidden; }

 private:
  using Row = std::vector<std::string>;

  [[nodiscard]] Result<void> add_row(Row row);
  [[nodiscard]] Result<void> write_tabbed(const Row& cells);
  [[nodiscard]] Result<void> write_record(const Row& row);
  [[nodiscard]] Result<void> write_names();
  [[nodiscard]] Result<void> write_held();
  [[nodiscard]] Result<void> write_row(const Row& row, bool header);
  [[nodiscard]] Result<void> write_rest(const Row& row);

  Out& m_out;
  std::vector<Column> m_columns{};
  std::vector<std::size_t> m_order{};  ///< of a choice: index of each among all columns
  bool m_wide;
  bool m_details;
  bool m_log;
  char m_separator;
  std::size_t m_main = 0;  ///< number of columns before the details
  std::size_t m_rows = 0;
  std::size_t m_hidden = 0;
  std::vector<Row> m_held{};
  std::vector<std::size_t> m_widths{};  ///< empty until settled; k_hidden: not shown
};

/// Returns the name of a column for --columns: "last-used" for LAST USED.
[[nodiscard]] std::string column_name(const Column& column);

/// Returns a usage error that lists the columns if one of `names` is not a column.
[[nodiscard]] Result<void> check_columns(std::span<const Column> columns,
                                         const std::vector<std::string>& names);

/// How much of a column must remain when there is not room for all.
enum class Keep : std::uint8_t {
  Some,  ///< it may be truncated or left out
  Name,  ///< searched for by people: such columns together retain half of the line, and are never
         ///< left out
  Whole  ///< an ID, which is useless when truncated
};

/// The width of a column that is left out.
inline constexpr std::size_t k_hidden = static_cast<std::size_t>(-1);
/// The width of an ID that is printed below its row on its own line, because one line has no room
/// for it next to the other IDs and the names.
inline constexpr std::size_t k_below = static_cast<std::size_t>(-2);

/// Returns widths that fit into `columns` with two spaces between them. The widest shrink first,
/// except for the first column, which retains up to half of the line, and for those protected by
/// `keep`. Columns with less than their `useful` width (default: 10) are left out, starting with
/// the last: k_hidden, or missing at the end of the result.
[[nodiscard]] std::vector<std::size_t> settle_widths(const std::vector<std::size_t>& widths,
                                                     std::size_t columns,
                                                     const std::vector<std::size_t>& useful = {},
                                                     const std::vector<Keep>& keep = {});

}  // namespace svc::print
