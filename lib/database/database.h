// SQLite, as little of it as this project needs: a connection and prepared statements as values.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"

struct sqlite3;
struct sqlite3_stmt;

namespace svc {

/// Bytes for a BLOB column, where a text would be bound as TEXT.
struct Blob {
  std::string_view bytes;
};

/// A prepared statement. Its connection must outlive it. Parameters and columns count from 1 and 0,
/// as in SQLite.
class Statement {
 public:
  /// `subject` names the database in errors.
  Statement(sqlite3_stmt* statement, std::string subject) noexcept
      : m_subject(std::move(subject)), m_statement(statement) {}

  void bind(int index, std::int64_t value);
  void bind(int index, double value);
  void bind(int index, std::string_view text);
  void bind(int index, Blob blob);
  void bind_null(int index);
  /// NULL when there is no value.
  template <typename Value>
  void bind(int index, const std::optional<Value>& value) {
    if (value) {
      bind(index, *value);
    } else {
      bind_null(index);
    }
  }

  /// Makes the statement ready to run again; what was bound stays bound.
  void reset();

  /// The next row: true when there is one, false when the statement is done.
  [[nodiscard]] Result<bool> step();

  [[nodiscard]] std::int64_t integer(int column) const;
  [[nodiscard]] std::optional<std::int64_t> optional_integer(int column) const;
  [[nodiscard]] double number(int column) const;
  [[nodiscard]] std::string text(int column) const;   ///< "" for null
  [[nodiscard]] std::string bytes(int column) const;  ///< of a blob; "" for null
  [[nodiscard]] bool is_null(int column) const;

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const noexcept;
  };
  std::string m_subject;
  std::unique_ptr<sqlite3_stmt, Finalize> m_statement;
};

/// One connection. It locks nothing itself: callers on several threads hold a mutex.
class Database {
 public:
  /// Opens or creates `path` (0600), or a database in memory for ":memory:". Waits up to five
  /// seconds for another process's lock. `subject` names it in errors ("the emulator's state").
  /// Local when the file cannot be opened.
  [[nodiscard]] static Result<Database> open(const std::string& path, std::string subject);

  /// Runs SQL without parameters, any number of statements.
  [[nodiscard]] Result<void> run(const char* sql);

  [[nodiscard]] Result<Statement> prepare(std::string_view sql);

  /// prepare() and bind() of all `values` in order.
  template <typename... Values>
  [[nodiscard]] Result<Statement> query(std::string_view sql, const Values&... values) {
    auto statement = prepare(sql);
    if (statement) {
      int index = 0;
      (statement->bind(++index, values), ...);
    }
    return statement;
  }

  /// query() for a statement that gives no rows; the number of rows it changed.
  template <typename... Values>
  [[nodiscard]] Result<std::int64_t> change(std::string_view sql, const Values&... values) {
    SVC_TRY(statement, query(sql, values...));
    SVC_TRY(row, statement.step());
    (void)row;
    return changed_rows();
  }

  /// The first column of the first row; Unexpected when there is no row.
  [[nodiscard]] Result<std::int64_t> number(std::string_view sql);

  /// The rowid of the last INSERT on this connection.
  [[nodiscard]] std::int64_t last_row_id() const noexcept;

  /// Turns the file to write-ahead logging; two processes may do so at once.
  [[nodiscard]] Result<void> use_write_ahead_log();

  /// The log stays beside the file when the last connection closes, and is taken in by a later
  /// writer: for programs that end quickly and often, which then wait for no disk.
  void leave_log_on_close() noexcept;

  /// What is deleted from now on is overwritten, in the file as well.
  [[nodiscard]] Result<void> erase_deleted();

  /// Whether the file that was opened is no longer at its path: what is written is lost with it.
  [[nodiscard]] bool has_moved() const noexcept;

  /// Takes the log into the file and empties it.
  [[nodiscard]] Result<void> take_in_log();

 private:
  struct Close {
    void operator()(sqlite3* connection) const noexcept;
  };
  Database(sqlite3* connection, std::string subject) noexcept
      : m_subject(std::move(subject)), m_connection(connection) {}
  [[nodiscard]] std::int64_t changed_rows() const noexcept;

  std::string m_subject;
  std::unique_ptr<sqlite3, Close> m_connection;
};

/// BEGIN IMMEDIATE … COMMIT; rolled back unless committed.
class Transaction {
 public:
  [[nodiscard]] static Result<Transaction> begin(Database& database);
  Transaction(Transaction&& other) noexcept
      : m_database(std::exchange(other.m_database, nullptr)) {}
  Transaction& operator=(Transaction&&) = delete;
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  ~Transaction();

  [[nodiscard]] Result<void> commit();

 private:
  explicit Transaction(Database& database) noexcept : m_database(&database) {}
  Database* m_database;
};

/// Of the library that runs: "3.40.1".
[[nodiscard]] std::string sqlite_version();

}  // namespace svc
