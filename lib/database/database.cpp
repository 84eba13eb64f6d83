#include "database/database.h"

#include <cerrno>
#include <chrono>
#include <thread>

#include <fcntl.h>
#include <sqlite3.h>
#include <unistd.h>

#include "base/file_descriptor.h"
#include "base/files.h"

namespace svc {
namespace {

constexpr int k_busy_timeout_ms = 5000;

Error database_error(sqlite3* connection, const std::string& subject) {
  const std::string what = "cannot read or write " + subject;
  if (connection == nullptr) return Error{Fault::Local, what + ": out of memory"};
  const int number =
      sqlite3_errcode(connection) == SQLITE_FULL ? ENOSPC : sqlite3_system_errno(connection);
  if (cause_of(number) != Cause::None) return system_error(what, number);
  return Error{Fault::Local, what + ": " + sqlite3_errmsg(connection)};
}

// SQLite would create the file with the umask's permissions, but its content is private.
Result<void> create_private(const std::string& path, const std::string& subject) {
  const FileDescriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (!file.is_open()) {
    const std::string shown = quote_path(path);
    const bool named = subject.find(shown) != std::string::npos;
    return system_error("cannot open " + subject + (named ? "" : ", " + shown), errno);
  }
  give_to_directory_owner(file.get(), path);
  return {};
}

}  // namespace

void Statement::Finalize::operator()(sqlite3_stmt* statement) const noexcept {
  sqlite3_finalize(statement);
}

void Statement::bind_integer(int index, std::int64_t value) {
  sqlite3_bind_int64(m_statement.get(), index, value);
}

void Statement::bind(int index, double value) {
  sqlite3_bind_double(m_statement.get(), index, value);
}

void Statement::bind(int index, std::string_view text) {
  // A null pointer would bind NULL instead of an empty string.
  const char* bytes = text.empty() ? "" : text.data();
  sqlite3_bind_text64(m_statement.get(), index, bytes, text.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
}

void Statement::bind(int index, Blob blob) {
  const char* bytes = blob.bytes.empty() ? "" : blob.bytes.data();
  sqlite3_bind_blob64(m_statement.get(), index, bytes, blob.bytes.size(), SQLITE_TRANSIENT);
}

void Statement::bind_null(int index) {
  sqlite3_bind_null(m_statement.get(), index);
}

void Statement::reset() {
  sqlite3_reset(m_statement.get());
}

Result<bool> Statement::step() {
  switch (sqlite3_step(m_statement.get())) {
    case SQLITE_ROW:
      return true;
    case SQLITE_DONE:
      return false;
    default:
      return database_error(sqlite3_db_handle(m_statement.get()), m_subject);
  }
}

std::int64_t Statement::integer(int column) const {
  return sqlite3_column_int64(m_statement.get(), column);
}

std::optional<std::int64_t> Statement::optional_integer(int column) const {
  if (is_null(column)) return std::nullopt;
  return integer(column);
}

double Statement::number(int column) const {
  return sqlite3_column_double(m_statement.get(), column);
}

std::string Statement::bytes(int column) const {
  const void* bytes = sqlite3_column_blob(m_statement.get(), column);
  if (bytes == nullptr) return {};
  const auto size = static_cast<std::size_t>(sqlite3_column_bytes(m_statement.get(), column));
  return {static_cast<const char*>(bytes), size};
}

std::string Statement::text(int column) const {
  const auto* bytes = sqlite3_column_text(m_statement.get(), column);
  if (bytes == nullptr) return {};
  const auto size = static_cast<std::size_t>(sqlite3_column_bytes(m_statement.get(), column));
  return {reinterpret_cast<const char*>(bytes), size};
}

bool Statement::is_null(int column) const {
  return sqlite3_column_type(m_statement.get(), column) == SQLITE_NULL;
}

void Database::Close::operator()(sqlite3* connection) const noexcept {
  sqlite3_close_v2(connection);
}

Result<Database> Database::open(const std::string& path, std::string subject) {
  if (path != ":memory:") SVC_CHECK(create_private(path, subject));
  sqlite3* raw = nullptr;
  const int code =
      sqlite3_open_v2(path.c_str(), &raw,
                      SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, nullptr);
  Database database(raw, std::move(subject));
  if (code != SQLITE_OK) return database_error(raw, database.m_subject);
  sqlite3_busy_timeout(raw, k_busy_timeout_ms);
  return database;
}

Result<void> Database::run(const char* sql) {
  if (sqlite3_exec(m_connection.get(), sql, nullptr, nullptr, nullptr) != SQLITE_OK) {
    return database_error(m_connection.get(), m_subject);
  }
  return {};
}

Result<Statement> Database::prepare(std::string_view sql) {
  sqlite3_stmt* raw = nullptr;
  if (sqlite3_prepare_v2(m_connection.get(), sql.data(), static_cast<int>(sql.size()), &raw,
                         nullptr) != SQLITE_OK) {
    return database_error(m_connection.get(), m_subject);
  }
  return Statement(raw, m_subject);
}

Result<std::int64_t> Database::number(std::string_view sql) {
  SVC_TRY(statement, prepare(sql));
  SVC_TRY(row, statement.step());
  if (!row) return Error{Fault::Unexpected, "a query of " + m_subject + " returned no row"};
  return statement.integer(0);
}

std::int64_t Database::changed_rows() const noexcept {
  return sqlite3_changes64(m_connection.get());
}

std::int64_t Database::last_row_id() const noexcept {
  return sqlite3_last_insert_rowid(m_connection.get());
}

Result<void> Database::enable_wal() {
  // Two processes that switch a new file to WAL at once get SQLITE_BUSY regardless of the busy
  // timeout.
  Result<void> outcome;
  for (int attempt = 0; attempt < 50; ++attempt) {
    outcome = run("PRAGMA journal_mode = WAL");
    if (outcome) return outcome;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return outcome;
}

void Database::disable_checkpoint_on_close() noexcept {
  sqlite3_db_config(m_connection.get(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
}

bool Database::was_locked() const noexcept {
  const int code = sqlite3_errcode(m_connection.get());
  return code == SQLITE_BUSY || code == SQLITE_LOCKED;
}

bool Database::has_moved() const noexcept {
  int moved = 0;
  sqlite3_file_control(m_connection.get(), nullptr, SQLITE_FCNTL_HAS_MOVED, &moved);
  return moved != 0;
}

Result<void> Database::enable_secure_delete() {
  return run("PRAGMA secure_delete = ON");
}

Result<void> Database::checkpoint() {
  return run("PRAGMA wal_checkpoint(TRUNCATE)");
}

Result<Transaction> Transaction::begin(Database& database) {
  // IMMEDIATE, because a read transaction that becomes a write fails at once if another process has
  // written.
  SVC_CHECK(database.run("BEGIN IMMEDIATE"));
  return Transaction(database);
}

Transaction::~Transaction() {
  if (m_database != nullptr) (void)m_database->run("ROLLBACK");
}

Result<void> Transaction::commit() {
  SVC_CHECK(m_database->run("COMMIT"));
  m_database = nullptr;
  return {};
}

std::string sqlite_version() {
  return sqlite3_libversion();
}

}  // namespace svc
