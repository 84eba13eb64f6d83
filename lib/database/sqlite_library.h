// SQLite, loaded when the first database is opened: most commands open none.
#pragma once

#include <string>

#include <sqlite3.h>

#include "base/result.h"

namespace svc {

/// The functions of SQLite that are used, by their names without `sqlite3_`.
struct SqliteLibrary {
  decltype(&::sqlite3_bind_blob64) bind_blob64;
  decltype(&::sqlite3_bind_double) bind_double;
  decltype(&::sqlite3_bind_int64) bind_int64;
  decltype(&::sqlite3_bind_null) bind_null;
  decltype(&::sqlite3_bind_text64) bind_text64;
  decltype(&::sqlite3_busy_timeout) busy_timeout;
  decltype(&::sqlite3_changes64) changes64;
  decltype(&::sqlite3_close_v2) close_v2;
  decltype(&::sqlite3_column_blob) column_blob;
  decltype(&::sqlite3_column_bytes) column_bytes;
  decltype(&::sqlite3_column_double) column_double;
  decltype(&::sqlite3_column_int64) column_int64;
  decltype(&::sqlite3_column_text) column_text;
  decltype(&::sqlite3_column_type) column_type;
  decltype(&::sqlite3_db_config) db_config;
  decltype(&::sqlite3_file_control) file_control;
  decltype(&::sqlite3_db_handle) db_handle;
  decltype(&::sqlite3_errmsg) errmsg;
  decltype(&::sqlite3_exec) exec;
  decltype(&::sqlite3_finalize) finalize;
  decltype(&::sqlite3_last_insert_rowid) last_insert_rowid;
  decltype(&::sqlite3_libversion) libversion;
  decltype(&::sqlite3_open_v2) open_v2;
  decltype(&::sqlite3_prepare_v2) prepare_v2;
  decltype(&::sqlite3_reset) reset;
  decltype(&::sqlite3_step) step;
};

/// Loads it at the first call, on any thread; Local, with what to install, when it is not there.
/// `subject` is what needs it.
[[nodiscard]] Result<void> load_sqlite(const std::string& subject);

/// Only after load_sqlite() has succeeded.
[[nodiscard]] const SqliteLibrary& sqlite();

}  // namespace svc
