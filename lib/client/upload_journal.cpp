#include "client/upload_journal.h"

#include <algorithm>
#include <cerrno>
#include <ctime>

#include <fcntl.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/file.h>
#include <sys/stat.h>

#include "base/files.h"
#include "base/sha256.h"
#include "base/write_target.h"
#include "json/document.h"

namespace svc {
namespace {

using nlohmann::json;

constexpr std::size_t k_most_bytes = 16U << 10U;

std::string file_name_of(const std::string& identity) {
  return sha256(identity).substr(0, 32) + ".json";
}

std::optional<UploadState> read_state(int fd, const std::string& identity) {
  std::string text(k_most_bytes, '\0');
  const ssize_t count = ::pread(fd, text.data(), text.size(), 0);
  if (count <= 0) return std::nullopt;
  text.resize(static_cast<std::size_t>(count));
  const json note = json::parse(text, nullptr, false);
  const json& id = member(note, "file_id");
  const json& sent = member(note, "sent");
  const json& sending = member(note, "sending");
  if (member(note, "upload") != json(identity) || !id.is_string() || !sent.is_number_unsigned() ||
      !sending.is_boolean()) {
    return std::nullopt;
  }
  return UploadState{id.get<std::string>(), sent.get<std::uint64_t>(), sending.get<bool>()};
}

/// Opens and locks the file; closed when it was removed meanwhile, so that it has to be made again.
Result<FileDescriptor> open_locked(const std::string& path) {
  const int flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW;
  FileDescriptor file(::open(path.c_str(), flags, 0600));
  if (!file.is_open()) return system_error("cannot write " + shown_path(path), errno);
  if (::flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
    return Error{Fault::Local, "another svc process is uploading this file",
                 "Wait for it, or end it first."};
  }
  struct stat status {};
  if (::fstat(file.get(), &status) == 0 && status.st_nlink == 0) file.reset();
  return file;
}

}  // namespace

Result<UploadJournal> UploadJournal::open(const std::string& identity) {
  UploadJournal journal;
  journal.m_identity = identity;
  const auto folder = state_folder();
  if (identity.empty() || folder.empty() || !make_private_folder(folder / "uploads"))
    return journal;
  journal.m_path = (folder / "uploads" / file_name_of(identity)).string();
  for (int tries = 0; tries < 10 && !journal.m_file.is_open(); ++tries) {
    SVC_TRY(file, open_locked(journal.m_path));
    journal.m_file = std::move(file);
  }
  if (journal.m_file.is_open()) journal.m_state = read_state(journal.m_file.get(), identity);
  return journal;
}

std::chrono::milliseconds UploadJournal::age() const noexcept {
  using std::chrono::milliseconds;
  struct stat status {};
  timespec now{};
  if (!m_file.is_open() || ::fstat(m_file.get(), &status) != 0) return milliseconds::max();
  ::clock_gettime(CLOCK_REALTIME, &now);
  const std::int64_t seconds = now.tv_sec - status.st_mtim.tv_sec;
  const std::int64_t nanoseconds = now.tv_nsec - status.st_mtim.tv_nsec;
  return std::max(milliseconds(0), milliseconds(seconds * 1000 + nanoseconds / 1'000'000));
}

Result<void> UploadJournal::save(const UploadState& state) {
  m_state = state;
  if (!m_file.is_open()) return {};
  const std::string text = compact_json(json{{"upload", m_identity},
                                             {"file_id", state.file_id},
                                             {"sent", state.sent},
                                             {"sending", state.sending}});
  // Longer than what it replaces or padded to it: a reader never sees the end of an older one.
  struct stat status {};
  std::string padded = text;
  if (::fstat(m_file.get(), &status) == 0 && static_cast<std::size_t>(status.st_size) > text.size())
    padded.resize(static_cast<std::size_t>(status.st_size), ' ');
  const ssize_t written = ::pwrite(m_file.get(), padded.data(), padded.size(), 0);
  if (written != static_cast<ssize_t>(padded.size()) || ::fdatasync(m_file.get()) != 0) {
    return write_error(m_path, written < 0 ? errno : ENOSPC);
  }
  return {};
}

void UploadJournal::remove() {
  m_state.reset();
  if (!m_file.is_open()) return;
  ::unlink(m_path.c_str());  // while it is locked: whoever waits for it sees that it is gone
  m_file.reset();
}

}  // namespace svc
