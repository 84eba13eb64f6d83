#include "history/store_file.h"

#include <cstdint>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>

#include "base/file_descriptor.h"
#include "base/files.h"

namespace svc::history {
namespace {

constexpr std::uintmax_t k_longest_log = 64UL * 4096;

std::uintmax_t log_bytes(const std::string& path) {
  std::error_code none;
  const auto size = std::filesystem::file_size(path + "-wal", none);
  return none ? 0 : size;
}

Error not_ours(const std::string& path, const FileKind& kind, std::string_view why) {
  return Error{Fault::Local,
               fmt::format("{} does not hold {}: {}", shown_path(path), kind.what, why),
               "Move the file away; a new one is made when it is needed."};
}

Error newer(const std::string& path, const FileKind& kind, std::int64_t version) {
  return Error{Fault::Local,
               fmt::format("{} in {} was written by a newer svc (form {}; this one knows form {})",
                           kind.what, shown_path(path), version, kind.version),
               "Use that version, or give this one a state folder of its own in XDG_STATE_HOME."};
}

Result<void> prepare(Database& database, const std::string& path, const FileKind& kind) {
  // The first read tells whether the file is a database at all.
  const auto version = database.number("PRAGMA user_version");
  if (!version) return not_ours(path, kind, "it cannot be read as a database");
  if (*version > kind.version) return newer(path, kind, *version);
  SVC_TRY(application, database.number("PRAGMA application_id"));
  if (application == kind.application_id) return {};
  SVC_TRY(tables, database.number("SELECT count(*) FROM sqlite_schema"));
  if (tables != 0) {
    // Another process may have made them since.
    SVC_TRY(now, database.number("PRAGMA application_id"));
    if (now == kind.application_id) return {};
    return not_ours(path, kind, "another program made it");
  }
  SVC_CHECK(database.use_write_ahead_log());
  SVC_TRY(transaction, Transaction::begin(database));
  // Another process may have been quicker.
  SVC_TRY(made, database.number("PRAGMA application_id"));
  if (made == kind.application_id) return {};
  SVC_CHECK(database.run(kind.schema));
  SVC_CHECK(database.run(fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {};",
                                     kind.application_id, kind.version)
                             .c_str()));
  return transaction.commit();
}

}  // namespace

Result<Database> open_file(const std::string& path, const FileKind& kind,
                           std::chrono::milliseconds patience) {
  if (path != ":memory:") {
    const auto folder = std::filesystem::path(path).parent_path();
    if (!folder.empty()) SVC_CHECK(make_private_folder(folder));
  }
  SVC_TRY(database, Database::open(path, kind.what));
  database.set_patience(patience);
  // Made with the log's bounds as they are, a process that ends need not wait for the disk.
  database.leave_log_on_close();
  SVC_CHECK(prepare(database, path, kind));
  // SQLite begins a log anew only for a process that writes twice; one that books a call and ends
  // would read a longer one through at every start. While others read it, it is left to the next.
  if (log_bytes(path) > k_longest_log) {
    database.set_patience(std::chrono::milliseconds(0));
    static_cast<void>(database.take_in_log());
    database.set_patience(patience);
  }
  return std::move(database);
}

}  // namespace svc::history
