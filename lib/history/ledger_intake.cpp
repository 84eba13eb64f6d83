#include "history/ledger_intake.h"

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

/// Somebody may be taking in a few hundred lines, onto a slow disk.
constexpr std::chrono::milliseconds k_addition_patience{5'000};
constexpr std::size_t k_longest_name = 128;  ///< bytes that hold a file's name for certain

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

/// The file, locked and in its place: whoever took it in meanwhile has removed it.
Result<FileLock> lock(const std::string& path, std::chrono::milliseconds patience) {
  while (true) {
    SVC_TRY(file, FileLock::take(path, patience));
    struct stat own {};
    struct stat there {};
    if (::fstat(file.descriptor(), &own) != 0) {
      return system_error("cannot look at " + shown_path(path), errno);
    }
    const bool found = ::stat(path.c_str(), &there) == 0;
    if (found && own.st_ino == there.st_ino && own.st_dev == there.st_dev) return std::move(file);
  }
}

/// What must stand before a new line: the name of a new file, the end of a line that was cut off.
std::string lead(int fd, std::uint64_t size) {
  if (size == 0) return line_of({{k_name, random_uuid()}});
  char last = '\n';
  (void)::pread(fd, &last, 1, static_cast<off_t>(size - 1));
  return last == '\n' ? "" : "\n";
}

/// What holds the file's name.
std::string begin_of(int fd) {
  std::string text(k_longest_name, '\0');
  const ssize_t count = ::pread(fd, text.data(), text.size(), 0);
  text.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
  return text;
}

/// Where the next line goes. A power cut that left not even the file's name whole left nothing.
std::uint64_t length_of(int fd, std::uint64_t size) {
  if (size == 0 || size >= k_longest_name) return size;
  const bool torn = begin_of(fd).find('\n') == std::string::npos;
  return torn && ::ftruncate(fd, 0) == 0 ? 0 : size;
}

/// Hands on each whole line from `offset` on, however many there are. Where the file ends.
Result<std::uint64_t> each_line(int fd, std::uint64_t offset,
                                const std::function<Result<void>(std::string_view)>& sink) {
  std::string text;
  std::string piece(64U << 10U, '\0');
  while (true) {
    const ssize_t count = ::pread(fd, piece.data(), piece.size(), static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return system_error("what waits for the ledger cannot be read", errno);
    offset += static_cast<std::uint64_t>(count);
    text.append(piece, 0, static_cast<std::size_t>(count));
    std::size_t begin = 0;
    for (std::size_t end = 0; (end = text.find('\n', begin)) != std::string::npos;
         begin = end + 1) {
      SVC_CHECK(sink(std::string_view(text).substr(begin, end - begin)));
    }
    text.erase(0, begin);
    if (count == 0) return offset;  // what is left was cut off
  }
}

/// How much of this file was taken in already.
Result<std::uint64_t> taken_before(Database& database, const std::string& name) {
  SVC_CHECK(
      database.run("CREATE TABLE IF NOT EXISTS taken (file TEXT PRIMARY KEY, "
                   "bytes INTEGER NOT NULL) STRICT"));
  // After a power cut a file that was removed may be there again: the last few are remembered.
  SVC_CHECK(database.run("DELETE FROM taken WHERE rowid < (SELECT max(rowid) FROM taken) - 20"));
  if (name.empty()) return std::uint64_t{0};
  SVC_TRY(row, database.query("SELECT bytes FROM taken WHERE file = ?", std::string_view(name)));
  SVC_TRY(any, row.step());
  return any ? static_cast<std::uint64_t>(row.integer(0)) : 0;
}

/// The file's name, from its first line.
std::string name_of(int fd) {
  const std::string text = begin_of(fd);
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
  // The folder is there but for the first time.
  if (::access(m_path.c_str(), F_OK) != 0) {
    SVC_CHECK(make_private_folder(std::filesystem::path(m_path).parent_path()));
  }
  SVC_TRY(file, lock(m_path, k_addition_patience));
  const int fd = file.descriptor();
  struct stat before {};
  if (::fstat(fd, &before) != 0) return system_error("cannot look at " + shown_path(m_path), errno);
  if (before.st_size == 0) give_to_folders_owner(fd, m_path);
  const std::uint64_t size = length_of(fd, static_cast<std::uint64_t>(before.st_size));
  const std::string line = lead(fd, size) + line_of(as_json(entry));
  const ssize_t written = ::pwrite(fd, line.data(), line.size(), static_cast<off_t>(size));
  if (written == static_cast<ssize_t>(line.size())) return size + line.size();
  const int why = written < 0 ? errno : ENOSPC;
  (void)::ftruncate(fd, static_cast<off_t>(size));
  return system_error("cannot write " + shown_path(m_path), why);
}

Result<void> LedgerIntake::take_in(Database& database,
                                   const std::function<Result<void>(const Entry&)>& insert,
                                   std::chrono::milliseconds patience) const {
  // The database first: who adds an entry does not wait for whoever holds that.
  SVC_TRY(transaction, Transaction::begin(database));
  if (!is_waiting()) return {};  // another process was quicker
  SVC_TRY(file, lock(m_path, patience));
  const std::string name = name_of(file.descriptor());
  SVC_TRY(before, taken_before(database, name));
  SVC_TRY(end, each_line(file.descriptor(), before, [&](std::string_view line) -> Result<void> {
            const auto entry = read_entry(line);
            return entry ? insert(*entry) : Result<void>();
          }));
  SVC_CHECK(database.change("INSERT OR REPLACE INTO taken VALUES (?, ?)", std::string_view(name),
                            static_cast<std::int64_t>(end)));
  // What the ledger knows as taken must not be shorter after a power cut.
  if (::fdatasync(file.descriptor()) != 0) {
    return system_error("cannot write " + shown_path(m_path), errno);
  }
  SVC_CHECK(transaction.commit());
  (void)::unlink(m_path.c_str());  // what stays is not taken in again
  return {};
}

}  // namespace svc::history
