#include "database/sqlite_library.h"

#include "base/shared_library.h"

namespace svc {
namespace {

Result<SqliteLibrary> find_sqlite() {
  auto library = SharedLibrary::load("libsqlite3.so.0");
  if (!library) return std::move(library).error();
  SqliteLibrary sqlite{};
  SVC_CHECK(library->find(sqlite.bind_blob64, "sqlite3_bind_blob64"));
  SVC_CHECK(library->find(sqlite.bind_double, "sqlite3_bind_double"));
  SVC_CHECK(library->find(sqlite.bind_int64, "sqlite3_bind_int64"));
  SVC_CHECK(library->find(sqlite.bind_null, "sqlite3_bind_null"));
  SVC_CHECK(library->find(sqlite.bind_text64, "sqlite3_bind_text64"));
  SVC_CHECK(library->find(sqlite.busy_timeout, "sqlite3_busy_timeout"));
  SVC_CHECK(library->find(sqlite.changes64, "sqlite3_changes64"));
  SVC_CHECK(library->find(sqlite.close_v2, "sqlite3_close_v2"));
  SVC_CHECK(library->find(sqlite.column_blob, "sqlite3_column_blob"));
  SVC_CHECK(library->find(sqlite.column_bytes, "sqlite3_column_bytes"));
  SVC_CHECK(library->find(sqlite.column_double, "sqlite3_column_double"));
  SVC_CHECK(library->find(sqlite.column_int64, "sqlite3_column_int64"));
  SVC_CHECK(library->find(sqlite.column_text, "sqlite3_column_text"));
  SVC_CHECK(library->find(sqlite.column_type, "sqlite3_column_type"));
  SVC_CHECK(library->find(sqlite.db_config, "sqlite3_db_config"));
  SVC_CHECK(library->find(sqlite.file_control, "sqlite3_file_control"));
  SVC_CHECK(library->find(sqlite.db_handle, "sqlite3_db_handle"));
  SVC_CHECK(library->find(sqlite.errmsg, "sqlite3_errmsg"));
  SVC_CHECK(library->find(sqlite.exec, "sqlite3_exec"));
  SVC_CHECK(library->find(sqlite.finalize, "sqlite3_finalize"));
  SVC_CHECK(library->find(sqlite.last_insert_rowid, "sqlite3_last_insert_rowid"));
  SVC_CHECK(library->find(sqlite.libversion, "sqlite3_libversion"));
  SVC_CHECK(library->find(sqlite.open_v2, "sqlite3_open_v2"));
  SVC_CHECK(library->find(sqlite.prepare_v2, "sqlite3_prepare_v2"));
  SVC_CHECK(library->find(sqlite.reset, "sqlite3_reset"));
  SVC_CHECK(library->find(sqlite.step, "sqlite3_step"));
  return sqlite;
}

const Result<SqliteLibrary>& the_sqlite() {
  static const Result<SqliteLibrary> library = find_sqlite();
  return library;
}

}  // namespace

Result<void> load_sqlite(const std::string& subject) {
  if (the_sqlite()) return {};
  return Error{Fault::Local,
               subject + " needs the library libsqlite3.so.0: " + the_sqlite().error().message,
               "Install it (Debian: apt install libsqlite3-0)."};
}

const SqliteLibrary& sqlite() {
  return *the_sqlite();
}

}  // namespace svc
