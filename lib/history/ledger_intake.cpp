#include "history/ledger_intake.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <optional>
#include <utility>

#include <fcntl.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file_descriptor.h"
#include "base/files.h"
#include "base/text.h"
#include "history/ledger.h"

namespace svc::history {
namespace {

using nlohmann::json;

/// Far more than ever waits.
constexpr std::uint64_t k_longest = 64U << 20U;

/// The first line of each file: a name of its own.
constexpr const char* k_name = "ledger";

json as_json(const Entry& entry) {
  return {{"time", entry.time},
          {"profile", entry.profile},
          {"emulated", entry.emulated},
          {"command", entry.command},
          {"model", entry.model},
          {"input_tokens", entry.input_tokens},
          {"output_tokens", entry.output_tokens},
          {"cached_tokens", entry.cached_tokens},
          {"reasoning_tokens", entry.reasoning_tokens},
          {"ticks", entry.ticks ? json(*entry.ticks) : json()},
          {"request_id", entry.request_id},
          {"key", entry.key}};
}

// The file may hold anything: a value of another type counts as absent.
std::string text_in(const json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

std::optional<std::int64_t> number_in(const json& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end() || !found->is_number_integer()) return std::nullopt;
  return found->get<std::int64_t>();
}

/// Nothing for a line that names no command: one that was cut off, or the file's name.
std::optional<Entry> read_entry(std::string_view line) {
  const json object = json::parse(line, nullptr, false);
  if (!object.is_object() || text_in(object, "command").empty()) return std::nullopt;
  const auto emulated = object.find("emulated");
  return Entry{.time = number_in(object, "time").value_or(0),
               .profile = text_in(object, "profile"),
               .emulated = emulated != object.end() && *emulated == true,
               .command = text_in(object, "command"),
               .model = text_in(object, "model"),
               .input_tokens = number_in(object, "input_tokens").value_or(0),
               .output_tokens = number_in(object, "output_tokens").value_or(0),
               .cached_tokens = number_in(object, "cached_tokens").value_or(0),
               .reasoning_tokens = number_in(object, "reasoning_tokens").value_or(0),
               .ticks = number_in(object, "ticks"),
               .request_id = text_in(object, "request_id"),
               .key = text_in(object, "key")};
}

std::string line_of(const json& object) {
  return object.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
}

Result<FileLock> lock(const std::string& path) {
  const std::string name = path + ".lock";
  // The folder is there but for the first time.
  if (::access(name.c_str(), F_OK) != 0) {
    SVC_CHECK(make_private_folder(std::filesystem::path(path).parent_path()));
  }
  return FileLock::take(name);
}

/// What must stand before a new line: the name of a new file, the end of a line that a power cut
/// or a full disk cut off.
std::string lead(int fd, std::uint64_t size) {
  if (size == 0) return line_of({{k_name, random_uuid()}});
  char last = '\n';
  (void)::pread(fd, &last, 1, static_cast<off_t>(size - 1));
  return last == '\n' ? "" : "\n";
}

/// How much of this file was taken in already.
Result<std::uint64_t> taken_before(Database& database, const std::string& name) {
  SVC_CHECK(
      database.run("CREATE TABLE IF NOT EXISTS taken (file TEXT PRIMARY KEY, "
                   "bytes INTEGER NOT NULL) STRICT"));
  SVC_CHECK(database.change("DELETE FROM taken WHERE file <> ?", std::string_view(name)));
  if (name.empty()) return std::uint64_t{0};
  SVC_TRY(row, database.query("SELECT bytes FROM taken WHERE file = ?", std::string_view(name)));
  SVC_TRY(any, row.step());
  return any ? static_cast<std::uint64_t>(row.integer(0)) : 0;
}

std::string name_of(std::string_view text) {
  const json head = json::parse(text.substr(0, text.find('\n')), nullptr, false);
  return head.is_object() ? text_in(head, k_name) : "";
}

}  // namespace

LedgerIntake::LedgerIntake(const std::string& ledger) : m_path(ledger + ".new") {}

bool LedgerIntake::is_waiting() const {
  struct stat status {};
  return ::stat(m_path.c_str(), &status) == 0 && status.st_size > 0;
}

Result<std::uint64_t> LedgerIntake::add(const Entry& entry) const {
  const auto held = lock(m_path);
  if (!held) return held.error();
  const FileDescriptor file(
      ::open(m_path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600));
  struct stat before {};
  if (!file.is_open() || ::fstat(file.get(), &before) != 0) {
    return system_error("cannot open " + shown_path(m_path), errno);
  }
  const auto size = static_cast<std::uint64_t>(before.st_size);
  const std::string line = lead(file.get(), size) + line_of(as_json(entry));
  const ssize_t written = ::write(file.get(), line.data(), line.size());
  if (written == static_cast<ssize_t>(line.size())) return size + line.size();
  const int why = written < 0 ? errno : ENOSPC;
  (void)::ftruncate(file.get(), before.st_size);
  return system_error("cannot write " + shown_path(m_path), why);
}

Result<void> LedgerIntake::take_in(Database& database,
                                   const std::function<Result<void>(const Entry&)>& insert) const {
  const auto held = lock(m_path);
  if (!held) return held.error();
  if (!is_waiting()) return {};  // another process was quicker
  SVC_TRY(text, read_file(m_path, k_longest));
  const std::string name = name_of(text);
  SVC_TRY(transaction, Transaction::begin(database));
  SVC_TRY(before, taken_before(database, name));
  const std::size_t from = std::min<std::uint64_t>(before, text.size());
  for (const std::string_view line : split(std::string_view(text).substr(from), '\n')) {
    if (const auto entry = read_entry(line)) SVC_CHECK(insert(*entry));
  }
  SVC_CHECK(database.change("INSERT OR REPLACE INTO taken VALUES (?, ?)", std::string_view(name),
                            static_cast<std::int64_t>(text.size())));
  SVC_CHECK(transaction.commit());
  if (::unlink(m_path.c_str()) != 0) {
    return system_error("cannot remove " + shown_path(m_path), errno);
  }
  return {};
}

}  // namespace svc::history
