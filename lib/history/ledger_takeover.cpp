#include "history/ledger_takeover.h"

#include <filesystem>

#include <nlohmann/json.hpp>

#include "base/files.h"
#include "database/database.h"
#include "history/ledger_lines.h"

namespace svc::history {
namespace {

namespace fs = std::filesystem;

bool is_there(const std::string& path) {
  std::error_code none;
  return fs::exists(path, none);
}

Result<void> read_entries(Database& database, const std::function<void(const Entry&)>& sink) {
  SVC_TRY(rows, database.query("SELECT time, profile, emulated, command, model, input_tokens, "
                               "output_tokens, cached_tokens, reasoning_tokens, ticks, request_id, "
                               "key FROM entries ORDER BY id"));
  while (true) {
    SVC_TRY(more, rows.step());
    if (!more) return {};
    sink(Entry{.time = rows.integer(0),
               .profile = rows.text(1),
               .emulated = rows.integer(2) != 0,
               .command = rows.text(3),
               .model = rows.text(4),
               .input_tokens = rows.integer(5),
               .output_tokens = rows.integer(6),
               .cached_tokens = rows.integer(7),
               .reasoning_tokens = rows.integer(8),
               .ticks = rows.optional_integer(9),
               .request_id = rows.text(10),
               .key = rows.text(11)});
  }
}

/// How much of the log is in the database already: its first line is a name.
std::uint64_t taken_before(Database& database, std::string_view first_line) {
  const auto head = nlohmann::json::parse(first_line, nullptr, false);
  if (!head.is_object() || !head.contains("ledger") || !head["ledger"].is_string()) return 0;
  auto row = database.query("SELECT bytes FROM taken WHERE file = ?",
                            std::string_view(head["ledger"].get_ref<const std::string&>()));
  const auto any = row ? row->step() : Result<bool>(false);  // no table: nothing was ever taken
  return any && *any ? static_cast<std::uint64_t>(row->integer(0)) : 0;
}

}  // namespace

bool has_old_ledger(const std::string& path) {
  return is_there(path + ".db") || is_there(path + ".db.new");
}

Result<void> read_old_ledger(const std::string& path,
                             const std::function<void(const Entry&)>& sink) {
  std::uint64_t taken = 0;
  const std::string log = path + ".db.new";
  if (is_there(path + ".db")) {
    auto database = Database::open(path + ".db", "the old ledger");
    const auto read = database ? read_entries(*database, sink) : Result<void>(database.error());
    if (!read) {
      Error error = read.error();
      error.hint = "Move " + shown_path(path + ".db") + " away to go on without it.";
      return error;
    }
    if (const auto start = read_start(log, 128)) {
      taken = taken_before(*database, std::string_view(*start).substr(0, start->find('\n')));
    }
  }
  return each_line(log, taken, [&](std::string_view line) {
    if (const auto entry = read_entry(line)) sink(*entry);
  });
}

void remove_old_ledger(const std::string& path) {
  std::error_code none;
  for (const char* end : {".db.new", ".db-wal", ".db-shm", ".db"}) fs::remove(path + end, none);
}

}  // namespace svc::history
