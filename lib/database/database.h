// A minimal SQLite wrapper: a connection and prepared statements as values.
#pragma once

#include <concepts>
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

/// Bytes to bind as a BLOB; a string would be bound as TEXT.
struct Blob {
  std::string_view bytes;
};

/// A prepared statement. Its connection must outlive it. As in SQLite, parameters count from 1 and
/// columns from 0.
class Statement {
 public:
  /// `subject` identifies the database in errors.
  Statement(sqlite3_stmt* statement, std::string subject) noexcept
      : m_subject(std::move(subject)), m_statement(statement) {}

  /// Binds an integer, or 1 or 0. A template, so that no pointer becomes a truth value.
  template <std::integral Value>
  void bind(int index, Value value) {
    bind_integer(index, static_cast<std::int64_t>(value));
  }
  void bind(int index, double value);
  void bind(int index, std::string_view text);
  void bind(int index, Blob blob);
  void bind_null(int index);
  /// Binds NULL if there is no value.
  template <typename Value>
  void bind(int index, const std::optional<Value>& value) {
    if (value) {
      bind(index, *value);
    } else {
      bind_null(index);
    }
  }

  /// Binds `values` to all parameters, in order.
  template <typename... Values>
  void bind_all(const Values&... values) {
    [[maybe_unused]] int index = 0;
    (bind(++index, values), ...);
  }

  /// Resets the statement to run again; bindings are retained.
  void reset();

  /// Moves to the next row; returns false when the statement is done.
  [[nodiscard]] Result<bool> step();
  /// Binds `values`, runs a statement that returns no rows, and resets it.
  template <typename... Values>
  [[nodiscard]] Result<void> run(const Values&... values) {
    bind_all(values...);
    SVC_CHECK(step());
    reset();
    return {};
  }

  [[nodiscard]] std::int64_t integer(int column) const;
  [[nodiscard]] std::optional<std::int64_t> optional_integer(int column) const;
  [[nodiscard]] double number(int column) const;
  [[nodiscard]] std::string text(int column) const;   ///< "" for null
  [[nodiscard]] std::string bytes(int column) const;  ///< of a blob; "" for null
  [[nodiscard]] bool is_null(int column) const;

 private:
  void bind_integer(int index, std::int64_t value);

  struct Finalize {
    void operator()(sqlite3_stmt* statement) const noexcept;
  };
  std::string m_subject;
  std::unique_ptr<sqlite3_stmt, Finalize> m_statement;
};

/// One connection. Not thread-safe: callers on several threads must hold a mutex.
class Database {
 public:
  /// Opens or creates `path` (0600), or an in-memory database for ":memory:". Operations wait up to
  /// five seconds for another process's lock. `subject` identifies it in errors ("the emulator's
  /// state"). Local if the file cannot be opened.
  [[nodiscard]] static Result<Database> open(const std::string& path, std::string subject);

  /// Runs any number of SQL statements without parameters.
  [[nodiscard]] Result<void> run(const char* sql);

  [[nodiscard]] Result<Statement> prepare(std::string_view sql);

  /// Calls prepare() and binds all `values` in order.
  template <typename... Values>
  [[nodiscard]] Result<Statement> query(std::string_view sql, const Values&... values) {
    auto statement = prepare(sql);
    if (statement) statement->bind_all(values...);
    return statement;
  }

  /// Like query(), for a statement that returns no rows; returns the number of changed rows.
  template <typename... Values>
  [[nodiscard]] Result<std::int64_t> change(std::string_view sql, const Values&... values) {
    SVC_TRY(statement, query(sql, values...));
    SVC_CHECK(statement.step());
    return changed_rows();
  }

  /// The first column of the first row; Unexpected if there is no row.
  [[nodiscard]] Result<std::int64_t> number(std::string_view sql);

  /// The rowid of the last INSERT on this connection.
  [[nodiscard]] std::int64_t last_row_id() const noexcept;

  /// Switches the file to write-ahead logging; safe if two processes do so at once.
  [[nodiscard]] Result<void> enable_wal();

  /// Leaves the log next to the file when the last connection closes; a later writer checkpoints
  /// it. For programs that run briefly and often, which then do not wait for the disk.
  void disable_checkpoint_on_close() noexcept;

  /// Overwrites content deleted from now on, in the file as well.
  [[nodiscard]] Result<void> enable_secure_delete();

  /// Whether the last operation failed because another process has locked the file.
  [[nodiscard]] bool was_locked() const noexcept;

  /// Whether the open file is no longer at its path, so that anything written to it is lost.
  [[nodiscard]] bool has_moved() const noexcept;

  /// Checkpoints the log into the file and truncates it.
  [[nodiscard]] Result<void> checkpoint();

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

/// The version of the loaded library: "3.40.1".
[[nodiscard]] std::string sqlite_version();

}  // namespace svc
