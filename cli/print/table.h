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

/// Log: a person, at another time and in another place.
enum class Reader : std::uint8_t { Person, Program, Log };

/// What `item` has at the column's path (dots go into objects, numbers into arrays; an empty path
/// is the item itself; of alternatives between `|` the first that is there counts), as text.
/// Missing members and null are empty.
///
/// |          | Person                        | Program                       |
/// | Text     | as it is, or enum_words(); lists joined | the same            |
/// | Count    | the number, or how many items | the same, with all its digits |
/// | Tally    | the same, but nothing for a zero, a false or what is empty    |
/// | Bytes    | "1.5 kB"                      | the number                    |
/// | Seconds  | "12.34 s"                     | the number                    |
/// | UnixTime | "2026-04-16 07:19" local time | RFC 3339, UTC; so for a log   |
/// | Ticks    | "$0.0042"                     | the same; nothing is rounded  |
/// | Cost     | four decimals                 | as Ticks                      |
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
/// What the user wants of a list.
struct ListChoice {
  std::vector<std::string> columns{};  ///< titles, in this order; empty: all
  bool wide = false;                   ///< nothing is cut or left out for want of room
  bool details = false;                ///< columns that are a detail too
  bool log = false;                    ///< for Reader::Log
};

/// A value of an enumeration without the name of that, where `member` is one of its kind:
/// DOCUMENT_STATUS_PROCESSED of `status` is "processed". Any other value as it is.
[[nodiscard]] std::string enum_words(sv member, std::string value);

/// A table that is written row by row. On a terminal: a header, columns aligned by display width
/// and cut so that no line is wider than the terminal; widths come from the first thousand rows,
/// later ones are written as they arrive. Elsewhere: no header, cells separated by tabs, each row
/// written at once; tabs and newlines inside cells are `\t` and `\n`. Does not flush.
///
/// Columns that are a detail come last, and only with `details`: for a person below each row, with
/// what its line had no room for.
class Table {
 public:
  /// Names of the choice that are not columns are left out: see check_columns().
  Table(Out& out, std::span<const Column> columns, const ListChoice& choice = {});

  Result<void> add(const nlohmann::json& item);
  /// The same with the cells' texts, one for each column.
  Result<void> add_cells(std::vector<std::string> cells);
  /// Writes what is held back. Nothing is written for a table without rows.
  Result<void> finish() { return m_held.empty() ? Result<void>{} : write_held(); }

  [[nodiscard]] std::size_t rows() const noexcept { return m_rows; }
  /// How many columns the terminal has no room for; known after finish().
  [[nodiscard]] std::size_t hidden() const noexcept { return m_details ? 0 : m_hidden; }

 private:
  using Row = std::vector<std::string>;

  [[nodiscard]] Result<void> add_row(Row row);
  [[nodiscard]] Result<void> write_tabbed(const Row& cells);
  [[nodiscard]] Result<void> write_held();
  [[nodiscard]] Result<void> write_row(const Row& row, bool header);
  [[nodiscard]] Result<void> write_rest(const Row& row);

  Out& m_out;
  std::vector<Column> m_columns{};
  std::vector<std::size_t> m_order{};  ///< of a choice: which of all columns each is
  bool m_wide;
  bool m_details;
  bool m_log;
  std::size_t m_main = 0;  ///< the columns before the details
  std::size_t m_rows = 0;
  std::size_t m_hidden = 0;
  std::vector<Row> m_held{};
  std::vector<std::size_t> m_widths{};  ///< empty until they are settled; k_hidden: not shown
};

/// How a user may write a column's title: "last-used" for LAST USED.
[[nodiscard]] std::string column_name(const Column& column);

/// Usage, naming those that there are, when one of `names` is not a column.
[[nodiscard]] Result<void> check_columns(std::span<const Column> columns,
                                         const std::vector<std::string>& names);

/// What must stay of a column where there is not room for all of them.
enum class Keep : std::uint8_t {
  Some,  ///< it may be cut, or left out
  Name,  ///< what people look for: what all of them keep is half of the line, and they are never
         ///< left out
  Whole  ///< an id, which is of no use when it is cut
};

/// The width of a column that is left out.
inline constexpr std::size_t k_hidden = static_cast<std::size_t>(-1);
/// The width of an id that stands below its row, on a line of its own, because one line has no room
/// for it beside the other ids and the names.
inline constexpr std::size_t k_below = static_cast<std::size_t>(-2);

/// Widths that fit into `columns` with two blanks between them: the widest give way first, but for
/// the first column, which keeps up to half of the line, and for those that `keep` names. Columns
/// for which no `useful` width is left (10, unless given) are left out, the last ones first:
/// k_hidden, or the list ends before them.
[[nodiscard]] std::vector<std::size_t> settle_widths(const std::vector<std::size_t>& widths,
                                                     std::size_t columns,
                                                     const std::vector<std::size_t>& useful = {},
                                                     const std::vector<Keep>& keep = {});

}  // namespace svc::print
