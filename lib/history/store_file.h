// The files of this module: SQLite in the state folder, which several processes use at once and a
// later version may have changed. Not part of the public interface.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "base/result.h"
#include "database/database.h"

namespace svc::history {

/// What a file is: its tables by version.
struct FileKind {
  const char* what;             ///< in errors: "the ledger"
  std::int64_t application_id;  ///< four letters, which tell it from other databases
  std::int64_t version;         ///< of `schema`
  const char* schema;           ///< SQL that makes the tables
};

/// Opens or creates `path`, whose folder is made too (0700, the file 0600), with a write-ahead log
/// and the tables of `kind`. Waits for another process's lock for `patience`, then and in what is
/// done with it. Local when it cannot be opened or written, is another program's, or was made by a
/// newer version.
[[nodiscard]] Result<Database> open_file(
    const std::string& path, const FileKind& kind,
    std::chrono::milliseconds patience = std::chrono::seconds(5));

}  // namespace svc::history
