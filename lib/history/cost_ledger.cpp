#include "history/cost_ledger.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <ctime>
#include <filesystem>

#include <fcntl.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file_descriptor.h"
#include "base/files.h"
#include "base/money.h"
#include "base/platform.h"
#include "base/text.h"

namespace svc::history {
namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

constexpr std::string_view k_begin = R"({"time":)";
/// A million dollars, and as many tokens: a line with more is damaged, and sums do not overflow.
constexpr std::int64_t k_most_ticks = 1'000'000 * k_ticks_per_dollar;

// The file may contain anything: a value of another type counts as absent.
std::string text_in(const Json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

std::optional<std::int64_t> number_in(const Json& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end() || !found->is_number_integer()) return std::nullopt;
  return found->get<std::int64_t>();
}

std::optional<std::int64_t> count_in(const Json& object, const char* name) {
  const auto number = number_in(object, name);
  return number && *number >= 0 && *number <= k_most_ticks ? number : std::nullopt;
}

/// Encodes a string as in a line.
std::string json_text(std::string_view text) {
  return Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// Formats an entry as a line, including the line feed.
std::string line_of(const Entry& entry) {
  return fmt::format(
      R"({{"time":{},"profile":{},"emulated":{},"command":{},"model":{},"input_tokens":{},)"
      R"("output_tokens":{},"cached_tokens":{},"reasoning_tokens":{},"ticks":{},"request_id":{},)"
      R"("key":{}}})"
      "\n",
      entry.time, json_text(entry.profile), entry.emulated, json_text(entry.command),
      json_text(entry.model), entry.input_tokens, entry.output_tokens, entry.cached_tokens,
      entry.reasoning_tokens, entry.ticks ? std::to_string(*entry.ticks) : "null",
      json_text(entry.request_id), json_text(entry.key));
}

/// Parses a line; nothing if it has no command, for example because it is incomplete.
std::optional<Entry> read_entry(std::string_view line) {
  const Json object = Json::parse(line, nullptr, false);
  if (!object.is_object() || text_in(object, "command").empty()) return std::nullopt;
  const auto emulated = object.find("emulated");
  return Entry{.time = number_in(object, "time").value_or(0),
               .profile = text_in(object, "profile"),
               .emulated = emulated != object.end() && *emulated == true,
               .command = text_in(object, "command"),
               .model = text_in(object, "model"),
               .input_tokens = count_in(object, "input_tokens").value_or(0),
               .output_tokens = count_in(object, "output_tokens").value_or(0),
               .cached_tokens = count_in(object, "cached_tokens").value_or(0),
               .reasoning_tokens = count_in(object, "reasoning_tokens").value_or(0),
               .ticks = count_in(object, "ticks"),
               .request_id = text_in(object, "request_id"),
               .key = text_in(object, "key")};
}

/// The time of a line written by line_of(), without parsing the rest of it; otherwise nothing.
std::optional<std::int64_t> time_of(std::string_view line) {
  if (!line.starts_with(k_begin)) return std::nullopt;
  std::int64_t time = 0;
  const auto [end, error] =
      std::from_chars(line.data() + k_begin.size(), line.data() + line.size(), time);
  const bool complete = error == std::errc() && end != line.data() + line.size() && *end == ',';
  return complete ? std::optional(time) : std::nullopt;
}

/// Passes each complete line of a file from `offset` on to `sink`, and moves `offset` past the last
/// one. A missing file has no lines.
Result<void> for_each_line(const std::string& path, std::uint64_t& offset,
                           const std::function<void(std::string_view)>& sink) {
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.is_open()) {
    return errno == ENOENT ? Result<void>()
                           : system_error("cannot read " + quote_path(path), errno);
  }
  std::string text;
  std::string chunk(64U << 10U, '\0');
  while (true) {
    const ssize_t count =
        ::pread(file.get(), chunk.data(), chunk.size(), static_cast<off_t>(offset + text.size()));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return system_error("cannot read " + quote_path(path), errno);
    if (count == 0) return {};  // the rest is incomplete, or is being written
    text.append(chunk, 0, static_cast<std::size_t>(count));
    std::size_t begin = 0;
    for (std::size_t end = 0; (end = text.find('\n', begin)) != std::string::npos;
         begin = end + 1) {
      sink(std::string_view(text).substr(begin, end - begin));
    }
    text.erase(0, begin);
    offset += begin;
  }
}

std::int64_t day_begin(std::int64_t time) {
  std::tm local = local_time(time);
  local.tm_hour = local.tm_min = local.tm_sec = 0;
  local.tm_isdst = -1;
  return std::mktime(&local);
}

/// "2026-11", UTC.
std::string month_of(std::int64_t time) {
  return format_rfc3339(time).substr(0, 7);
}

std::string group_name(UsageBy by, const Entry& entry) {
  switch (by) {
    case UsageBy::Day:
      return format_local(entry.time).substr(0, 10);
    case UsageBy::Model:
      return entry.model;
    case UsageBy::Command:
      return entry.command;
    case UsageBy::Profile:
      break;
  }
  return entry.profile;
}

void add(UsageRow& row, const Entry& entry) {
  ++row.answers;
  row.input_tokens += entry.input_tokens;
  row.output_tokens += entry.output_tokens;
  row.cached_tokens += entry.cached_tokens;
  row.reasoning_tokens += entry.reasoning_tokens;
  row.ticks += entry.ticks.value_or(0);
  row.unpriced += entry.ticks ? 0 : 1;
}

/// The difference from the cost recorded before.
Entry increase_over(const Entry& entry, const Entry& before) {
  const auto more = [](std::int64_t now, std::int64_t then) {
    return std::max<std::int64_t>(now - then, 0);
  };
  Entry added = entry;
  added.ticks = more(entry.ticks.value_or(0), before.ticks.value_or(0));
  added.input_tokens = more(entry.input_tokens, before.input_tokens);
  added.output_tokens = more(entry.output_tokens, before.output_tokens);
  added.cached_tokens = more(entry.cached_tokens, before.cached_tokens);
  added.reasoning_tokens = more(entry.reasoning_tokens, before.reasoning_tokens);
  return added;
}

/// Locks the file of a month. Its directory exists except the first time.
Result<FileLock> lock_file(const std::string& path) {
  if (::access(path.c_str(), F_OK) != 0) {
    SVC_CHECK(make_private_directory(fs::path(path).parent_path()));
  }
  return FileLock::acquire(path);
}

/// Appends the complete line or nothing, even after an incomplete line.
Result<void> append(const FileLock& file, const std::string& path, const std::string& line) {
  const int fd = file.descriptor();
  struct stat before {};
  if (::fstat(fd, &before) != 0) return system_error("cannot inspect " + quote_path(path), errno);
  if (before.st_size == 0) give_to_directory_owner(fd, path);
  char last = '\n';
  if (before.st_size > 0) (void)!::pread(fd, &last, 1, before.st_size - 1);
  const std::string text = last == '\n' ? line : "\n" + line;
  const ssize_t written = ::pwrite(fd, text.data(), text.size(), before.st_size);
  if (written == static_cast<ssize_t>(text.size())) return {};
  const int why = written < 0 ? errno : ENOSPC;
  (void)!::ftruncate(fd, before.st_size);
  return system_error("cannot write " + quote_path(path), why);
}

}  // namespace

CostLedger::CostLedger(std::string path, Clock clock)
    : m_path(std::move(path)), m_clock(clock ? std::move(clock) : unix_now) {}

std::string CostLedger::file_of(std::int64_t time) const {
  return fmt::format("{}-{}.jsonl", m_path, month_of(time));
}

/// The files that may contain entries from `since` to before `until`.
std::vector<std::string> CostLedger::files(std::int64_t since, std::int64_t until) const {
  const fs::path path(m_path);
  const std::string prefix = path.filename().string() + "-";
  const std::string first = month_of(since);
  const std::string last = month_of(until);
  std::vector<std::string> found;
  std::error_code none;
  for (const auto& file : fs::directory_iterator(path.parent_path(), none)) {
    const std::string name = file.path().filename().string();
    if (!name.starts_with(prefix) || !name.ends_with(".jsonl")) continue;
    const std::string month = name.substr(prefix.size(), first.size());
    if (month >= first && month <= last) found.push_back(file.path().string());
  }
  return found;
}

/// Whether one of the lines read so far ends with this key. Each line is read only once, however
/// many keys are looked up.
Result<bool> CostLedger::has_key(const std::string& key_text) {
  constexpr std::string_view k_key = R"("key":)";
  const std::hash<std::string_view> hash{};
  for (const std::string& file : files()) {
    SVC_CHECK(for_each_line(file, m_keys.read[file], [&](std::string_view line) {
      const std::size_t at = line.rfind(k_key);
      if (at == std::string_view::npos) return;
      m_keys.hashes.insert(
          hash(line.substr(at + k_key.size(), line.rfind('}') - at - k_key.size())));
    }));
  }
  return m_keys.hashes.contains(hash(key_text));
}

/// The total recorded for an answer or job; nothing if there is none.
Result<std::optional<Entry>> CostLedger::recorded_total(const Entry& entry) {
  const std::string key = json_text(entry.key);
  SVC_TRY(known, has_key(key));
  if (!known) return std::optional<Entry>();
  UsageRow row;
  for (const std::string& file : files()) {
    std::uint64_t offset = 0;
    SVC_CHECK(for_each_line(file, offset, [&](std::string_view line) {
      if (line.find(key) == std::string_view::npos) return;
      const auto one = read_entry(line);
      if (one && one->key == entry.key && one->profile == entry.profile) add(row, *one);
    }));
  }
  if (row.answers == 0) return std::optional<Entry>();
  return std::optional(Entry{.input_tokens = row.input_tokens,
                             .output_tokens = row.output_tokens,
                             .cached_tokens = row.cached_tokens,
                             .reasoning_tokens = row.reasoning_tokens,
                             .ticks = row.ticks});
}

Result<std::int64_t> CostLedger::record(Entry entry, RecordKind kind) {
  if (entry.time == 0) entry.time = m_clock();
  const bool fetched = kind == RecordKind::Fetched && !entry.key.empty();
  const std::string path = file_of(entry.time);
  SVC_TRY(file, lock_file(path));
  if (fetched) {
    SVC_TRY(before, recorded_total(entry));
    if (before) entry = increase_over(entry, *before);
    const bool increased =
        entry.ticks.value_or(0) > 0 || entry.input_tokens > 0 || entry.output_tokens > 0;
    if (before && !increased) return std::int64_t{0};
  }
  SVC_CHECK(append(file, path, line_of(entry)));
  return entry.ticks.value_or(0);
}

Result<std::int64_t> CostLedger::record_all(std::vector<Entry> entries) {
  const std::int64_t now = m_clock();
  std::int64_t ticks = 0;
  std::string lines;
  for (Entry& entry : entries) {
    entry.time = now;
    lines += line_of(entry);
    ticks += entry.ticks.value_or(0);
  }
  const std::string path = file_of(now);
  SVC_TRY(file, lock_file(path));
  SVC_CHECK(append(file, path, lines));
  return ticks;
}

Result<void> CostLedger::check_writable() {
  const std::string path = file_of(m_clock());
  SVC_TRY(file, lock_file(path));
  // Longer than any entry. Readers ignore a line without an end, which this is until it is gone.
  const std::string blank(4096, ' ');
  SVC_CHECK(append(file, path, blank));
  struct stat now {};
  const bool known = ::fstat(file.descriptor(), &now) == 0;
  if (known && ::ftruncate(file.descriptor(), now.st_size - std::ssize(blank)) == 0) return {};
  return system_error("cannot write " + quote_path(path), errno);
}

Result<std::int64_t> CostLedger::spent_today(std::string_view profile) {
  const std::int64_t now = m_clock();
  const std::int64_t begin = day_begin(now);
  if (begin != m_today.begin || profile != m_today.profile) {
    m_today = Today{.profile = std::string(profile), .begin = begin};
  }
  for (const std::string& file : files(begin, now)) {
    SVC_CHECK(for_each_line(file, m_today.read[file], [&](std::string_view line) {
      if (time_of(line).value_or(begin) < begin) return;
      const auto entry = read_entry(line);
      if (!entry || entry->time < begin || entry->profile != profile) return;
      m_today.spent += entry->ticks.value_or(0);
    }));
  }
  return m_today.spent;
}

Result<std::vector<UsageRow>> CostLedger::usage(const UsageQuery& query) {
  const std::int64_t since = query.since.value_or(0);
  const std::int64_t until = query.until.value_or(k_max_time);
  std::map<std::string, UsageRow> rows;
  for (const std::string& file : files(since, until)) {
    std::uint64_t offset = 0;
    SVC_CHECK(for_each_line(file, offset, [&](std::string_view line) {
      const auto entry = read_entry(line);
      if (!entry || entry->time < since || entry->time >= until) return;
      if (entry->emulated != query.emulated) return;
      if (query.profile && entry->profile != *query.profile) return;
      add(rows[group_name(query.by, *entry)], *entry);
    }));
  }
  std::vector<UsageRow> sums;
  for (auto& [name, row] : rows) {
    row.name = name;
    sums.push_back(std::move(row));
  }
  if (query.by != UsageBy::Day) {
    std::stable_sort(sums.begin(), sums.end(),
                     [](const UsageRow& a, const UsageRow& b) { return a.ticks > b.ticks; });
  }
  return sums;
}

namespace {

/// "PID-START": START tells a process from a later one with the same PID.
std::string process_id(pid_t pid) {
  const auto facts = process_facts(pid);
  return facts ? fmt::format("{}-{}", pid, facts->start) : std::string();
}

/// A line "ID DAY TICKS IN_FLIGHT PROFILE".
struct ReservedLine {
  std::string id{};
  std::int64_t day = 0;
  std::int64_t ticks = 0;
  bool in_flight = false;
  std::string profile{};
};

std::vector<ReservedLine> read_reserved(int fd) {
  std::string text;
  std::string chunk(64U << 10U, '\0');
  while (true) {
    const ssize_t count = ::pread(fd, chunk.data(), chunk.size(), static_cast<off_t>(text.size()));
    if (count <= 0) break;
    text.append(chunk, 0, static_cast<std::size_t>(count));
  }
  std::vector<ReservedLine> lines;
  for (const sv line : split(text, '\n')) {
    const auto words = split(line, ' ');
    if (words.size() != 5) continue;
    const auto day = parse_integer(words[1]);
    const auto ticks = parse_integer(words[2]);
    if (!day || !ticks || *ticks < 0 || *ticks > k_most_ticks) continue;
    lines.push_back({std::string(words[0]), *day, *ticks, words[3] == "1", std::string(words[4])});
  }
  return lines;
}

Result<void> write_reserved(int fd, const std::string& path,
                            const std::vector<ReservedLine>& lines) {
  std::string text;
  for (const ReservedLine& line : lines) {
    text += fmt::format("{} {} {} {} {}\n", line.id, line.day, line.ticks, line.in_flight ? 1 : 0,
                        line.profile);
  }
  const ssize_t written = ::pwrite(fd, text.data(), text.size(), 0);
  if (written != std::ssize(text) || ::ftruncate(fd, std::ssize(text)) != 0) {
    return system_error("cannot write " + quote_path(path), written < 0 ? errno : ENOSPC);
  }
  return {};
}

bool is_alive(const std::string& id) {
  const auto pid = parse_integer(sv(id).substr(0, id.find('-')));
  return pid && id.starts_with(process_id(static_cast<pid_t>(*pid)) + "-");
}

}  // namespace

Reservations::Reservations(std::string path, std::string profile)
    : m_path(std::move(path) + "-reserved"), m_profile(std::move(profile)) {
  m_id = fmt::format("{}-{}", process_id(::getpid()), random_uuid());
}

Reservations::~Reservations() {
  if (m_written) update(0, false);
}

Result<Reservations::Others> Reservations::look() {
  SVC_CHECK(make_private_directory(fs::path(m_path).parent_path()));
  SVC_TRY(lock, FileLock::acquire(m_path, std::chrono::seconds(30)));
  Others others{.lock = std::move(lock), .ticks = m_lost};
  const std::int64_t today = day_begin(unix_now());
  for (const ReservedLine& line : read_reserved(others.lock.descriptor())) {
    if (line.id == m_id || line.profile != m_profile || line.day != today) continue;
    others.ticks += line.ticks;
    others.in_flight = others.in_flight || (line.in_flight && is_alive(line.id));
  }
  return others;
}

Result<void> Reservations::write(const Others& others, std::int64_t ticks, bool in_flight) {
  const int fd = others.lock.descriptor();
  const std::int64_t today = day_begin(unix_now());
  std::vector<ReservedLine> lines = read_reserved(fd);
  std::erase_if(lines, [&](const auto& line) { return line.id == m_id || line.day != today; });
  if (ticks + m_lost > 0 || in_flight) {
    lines.push_back({m_id, today, ticks + m_lost, in_flight, m_profile});
  }
  SVC_CHECK(write_reserved(fd, m_path, lines));
  m_written = true;
  return {};
}

Result<void> Reservations::give_back(std::string_view id, std::int64_t ticks) {
  SVC_TRY(others, look());
  const int fd = others.lock.descriptor();
  std::vector<ReservedLine> lines = read_reserved(fd);
  const auto line = std::ranges::find(lines, id, &ReservedLine::id);
  if (line == lines.end()) return {};
  line->ticks -= std::min(ticks, line->ticks);
  if (line->ticks == 0 && !line->in_flight) lines.erase(line);
  return write_reserved(fd, m_path, lines);
}

void Reservations::update(std::int64_t ticks, bool in_flight) {
  auto others = look();
  if (others) (void)write(*others, ticks, in_flight);
}

}  // namespace svc::history
