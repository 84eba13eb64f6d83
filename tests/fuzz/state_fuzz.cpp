// The files that svc keeps: journals, conversations, the cost ledger, and the notes of interrupted
// uploads and downloads, with any bytes: must be used or refused, and remain usable or refused.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include <unistd.h>

#include "base/atomic_file.h"
#include "batch/journal.h"
#include "client/download_part.h"
#include "client/resumable_upload.h"
#include "history/conversations.h"
#include "history/cost_ledger.h"

namespace {

using namespace svc;

/// A private directory, removed at exit.
struct Directory {
  std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("svc-state-fuzz-" + std::to_string(::getpid()));
  Directory() { std::filesystem::create_directories(path); }
  Directory(const Directory&) = delete;
  Directory& operator=(const Directory&) = delete;
  ~Directory() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }

  /// Writes the only file.
  std::string put(const std::string& name, std::string_view bytes) const {
    for (const auto& entry : std::filesystem::directory_iterator(path)) {
      std::filesystem::remove_all(entry.path());
    }
    return add(path / name, bytes);
  }

  static std::string add(const std::filesystem::path& name, std::string_view bytes) {
    const std::string file = name.string();
    std::ofstream(file, std::ios::binary)
        .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    std::filesystem::permissions(
        file, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
    return file;
  }
};

void use_journal(const std::string& path) {
  auto journal = batch::Journal::open(path);
  if (!journal) return;
  (void)journal->fact("form");
  (void)journal->next_range();
  (void)journal->next_unassigned(0);
  (void)journal->batches();
  (void)journal->batches_in_doubt();
  (void)journal->totals();
  (void)journal->reasons();
  const auto sink = [](const batch::Finished&) { return Result<void>(); };
  (void)journal->for_each_in_order(1, sink);
  (void)journal->for_each_by_arrival(0, sink);
}

void use_conversations(const std::string& path) {
  auto saved = history::Conversations::open(path, [] { return std::int64_t{1'800'000'000}; });
  if (!saved) return;
  const auto list = saved->list(10);
  if (list) {
    for (const history::Conversation& one : *list) (void)saved->messages(one);
  }
  (void)saved->search("word", 5);
  (void)saved->by_name("n");
  history::Conversation one;
  one.operation = "chat";
  (void)saved->append(one, {.messages = {R"({"role":"user","content":"hello word"})"}});
}

void use_ledger(const Directory& directory, std::string_view bytes) {
  const std::string file = directory.put("costs-2027-01.jsonl", bytes);
  history::CostLedger ledger(file.substr(0, file.size() - 14),
                             [] { return std::int64_t{1'800'000'000}; });
  for (const history::UsageBy by : {history::UsageBy::Day, history::UsageBy::Model}) {
    (void)ledger.usage({.by = by});
  }
  const auto before = ledger.spent_today("p");
  const auto added = ledger.record({.profile = "p", .ticks = 5}, history::RecordKind::New);
  const auto after = ledger.spent_today("p");
  if (before && added && after && *after < *before) std::abort();
}

void use_reservations(const Directory& directory, std::string_view bytes) {
  const std::string file = directory.put("costs-reserved", bytes);
  history::Reservations reservations(file.substr(0, file.size() - 9), "p");
  std::int64_t before = 0;
  {
    const auto others = reservations.look();
    if (!others || others->ticks < 0) std::abort();
    before = others->ticks;
    if (!reservations.write(*others, 5, true)) std::abort();
  }
  const auto others = reservations.look();
  if (!others || others->ticks != before) std::abort();
}

void use_upload_note(const Directory& directory, std::string_view bytes) {
  static const int set = ::setenv("XDG_STATE_HOME", directory.path.c_str(), 1);
  if (set != 0) std::abort();
  {
    const auto created = UploadJournal::open("one");
    if (!created || !created->is_persistent()) std::abort();
  }
  for (const auto& entry :
       std::filesystem::directory_iterator(directory.path / "svc" / "uploads")) {
    Directory::add(entry.path(), bytes);
  }
  auto journal = UploadJournal::open("one");
  if (!journal || !journal->save({.file_id = "file_1", .sent = 5})) std::abort();
  *journal = UploadJournal();
  const auto again = UploadJournal::open("one");
  if (!again || !again->state() || again->state()->sent != 5) std::abort();
}

void use_download_note(const Directory& directory, std::string_view bytes) {
  const std::string target = (directory.path / "got.bin").string();
  directory.put("got.bin.partial.json", bytes);
  Directory::add(target + ".partial", "begin");
  auto file = AtomicFile::create(target, Replace::Yes);
  if (!file) std::abort();
  const auto resumed = adopt_partial(*file, "https://example.com/a");
  if (resumed && (resumed->bytes != 5 || resumed->info.validator.empty())) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Directory directory;
  if (size < 2) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch (data[0] % 6) {
    case 0:
      use_journal(directory.put("journal", bytes));
      break;
    case 1:
      use_conversations(directory.put("conversations.db", bytes));
      break;
    case 2:
      use_ledger(directory, bytes);
      break;
    case 5:
      use_reservations(directory, bytes);
      break;
    case 3:
      use_upload_note(directory, bytes);
      break;
    default:
      use_download_note(directory, bytes);
  }
  return 0;
}
