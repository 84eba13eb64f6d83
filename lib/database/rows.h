// Database rows as values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

#include "base/result.h"
#include "database/database.h"

namespace svc {

inline void read_column(const Statement& row, int column, std::int64_t& to) {
  to = row.integer(column);
}
inline void read_column(const Statement& row, int column, std::uint64_t& to) {
  to = static_cast<std::uint64_t>(row.integer(column));
}
inline void read_column(const Statement& row, int column, bool& to) {
  to = row.integer(column) != 0;
}
inline void read_column(const Statement& row, int column, std::string& to) {
  to = row.text(column);
}
inline void read_column(const Statement& row, int column, std::optional<std::int64_t>& to) {
  to = row.optional_integer(column);
}
inline void read_column(const Statement& row, int column, std::optional<std::string>& to) {
  if (!row.is_null(column)) to = row.text(column);
}

/// Reads the columns of `row`, in order, into `members`.
template <typename... Members>
void read_row(const Statement& row, Members&... members) {
  int column = 0;
  (read_column(row, column++, members), ...);
}

/// Returns the result of `read(row)` for each row of a query.
template <typename Read, typename... Values>
auto all_rows(Database& database, const Read& read, std::string_view sql, const Values&... values)
    -> Result<std::vector<std::invoke_result_t<const Read&, const Statement&>>> {
  SVC_TRY(rows, database.query(sql, values...));
  std::vector<std::invoke_result_t<const Read&, const Statement&>> list;
  while (true) {
    SVC_TRY(found, rows.step());
    if (!found) return list;
    list.push_back(read(rows));
  }
}

/// The same for the first row; nothing if there is none.
template <typename Read, typename... Values>
auto first_row(Database& database, const Read& read, std::string_view sql, const Values&... values)
    -> Result<std::optional<std::invoke_result_t<const Read&, const Statement&>>> {
  using Row = std::invoke_result_t<const Read&, const Statement&>;
  SVC_TRY(row, database.query(sql, values...));
  SVC_TRY(found, row.step());
  return found ? std::optional<Row>(read(row)) : std::optional<Row>();
}

/// Returns the first column of the first row; empty or 0 if there is none.
template <typename Value, typename... Values>
Result<Value> first_value(Database& database, std::string_view sql, const Values&... values) {
  SVC_TRY(row, database.query(sql, values...));
  SVC_TRY(found, row.step());
  Value value{};
  if (found) read_column(row, 0, value);
  return value;
}

/// Runs `sql` without a result.
template <typename... Values>
Result<void> run_sql(Database& database, std::string_view sql, const Values&... values) {
  SVC_CHECK(database.change(sql, values...));
  return {};
}

/// A table, or some of its columns, in order, with the member of `Row` that each fills. A first
/// column of integers is numbered by the database.
template <typename Row, typename... Members>
class Table {
 public:
  constexpr Table(std::string_view name, std::string_view columns, Members Row::*... members)
      : m_name(name), m_columns(columns), m_members(members...) {}

  /// Returns the rows of "SELECT … FROM name " and `rest`.
  template <typename... Values>
  [[nodiscard]] Result<std::vector<Row>> all(Database& database, std::string_view rest,
                                             const Values&... values) const {
    return all_rows(database, reader(), select(rest), values...);
  }

  /// Returns the first of them.
  template <typename... Values>
  [[nodiscard]] Result<std::optional<Row>> first(Database& database, std::string_view rest,
                                                 const Values&... values) const {
    return first_row(database, reader(), select(rest), values...);
  }

  /// Adds a row. `how`: "INSERT OR IGNORE" for one that may be there. Returns how many were added.
  [[nodiscard]] Result<std::int64_t> insert(Database& database, const Row& row,
                                            std::string_view how = "INSERT") const {
    const auto add = [&](auto key, auto... others) {
      std::string sql(how);
      sql.append(" INTO ").append(m_name).append(" (").append(m_columns).append(") VALUES (");
      sql += std::is_same_v<decltype(key), std::int64_t Row::*> ? "nullif(?,0)" : "?";
      for (std::size_t i = 0; i < sizeof...(others); ++i) sql += ",?";
      return database.change(sql + ")", row.*key, row.*others...);
    };
    return std::apply(add, m_members);
  }

  /// Adds a row, in place of the one with the same key.
  [[nodiscard]] Result<void> replace(Database& database, const Row& row) const {
    SVC_CHECK(insert(database, row, "INSERT OR REPLACE"));
    return {};
  }

 private:
  [[nodiscard]] std::string select(std::string_view rest) const {
    std::string sql = "SELECT ";
    return sql.append(m_columns).append(" FROM ").append(m_name).append(" ").append(rest);
  }
  [[nodiscard]] auto reader() const {
    return [this](const Statement& statement) {
      Row row{};
      std::apply([&](auto... members) { read_row(statement, row.*members...); }, m_members);
      return row;
    };
  }

  std::string_view m_name;
  std::string_view m_columns;
  std::tuple<Members Row::*...> m_members;
};

}  // namespace svc
