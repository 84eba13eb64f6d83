#include "client/resumable_upload.h"

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <filesystem>

#include <fcntl.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/file.h>
#include <sys/stat.h>

#include "base/base64.h"
#include "base/digest.h"
#include "base/files.h"
#include "base/platform.h"
#include "base/text.h"
#include "base/write_target.h"
#include "catalogue/catalogue.h"
#include "catalogue/files_fields.h"
#include "json/document.h"
#include "request/build.h"
#include "request/flags.h"

namespace svc {
namespace {

using nlohmann::json;
using NewFlags = Flags<catalogue::files::k_initialize_fields>;

/// Maximum number of consecutive failures of one chunk.
constexpr int k_most_failures = 3;

using std::chrono::milliseconds;

/// How long a chunk that an interrupted run left in flight, or whose response was lost, may take to
/// arrive.
constexpr milliseconds k_max_flight{2'000};

/// The service's description of the file, in either format: its fields may be in `metadata`.
struct RemoteFile {
  std::optional<std::uint64_t> bytes{};
  std::string status{};  ///< lower case
};

RemoteFile read_remote_file(const std::string& body) {
  const json document = parse_reply(body);
  const json& metadata = member(document, "metadata");
  const json& file = metadata.is_object() ? metadata : document;
  RemoteFile arrived;
  for (const char* name : {"size_bytes", "bytes"}) {
    const json& value = member(file, name);
    if (arrived.bytes) break;
    if (value.is_number_unsigned()) arrived.bytes = value.get<std::uint64_t>();
    const auto number = parse_integer(text_member(file, name));
    if (number && *number >= 0) arrived.bytes = static_cast<std::uint64_t>(*number);
  }
  for (const char* name : {"upload_status", "status"}) {
    if (arrived.status.empty()) arrived.status = to_lower(text_member(file, name));
  }
  return arrived;
}

/// The local file, which must not change during the upload.
class LocalFile {
 public:
  static Result<LocalFile> open(const std::string& path) {
    LocalFile source;
    source.m_path = path;
    source.m_file.reset(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY));
    if (!source.m_file.is_open() || ::fstat(source.m_file.get(), &source.m_status) != 0)
      return system_error("cannot read " + quote_path(path), errno);
    return source;
  }

  [[nodiscard]] std::uint64_t size() const { return static_cast<std::uint64_t>(m_status.st_size); }
  [[nodiscard]] std::int64_t changed_at() const { return modified_at(m_status); }

  Result<std::string> read(std::uint64_t from, std::uint64_t count) const {
    struct stat now {};
    if (::fstat(m_file.get(), &now) != 0) return system_error(quote_path(m_path), errno);
    if (now.st_size != m_status.st_size || modified_at(now) != changed_at() || now.st_nlink == 0) {
      return Error{Fault::Local,
                   fmt::format("{} changed while it was being sent: it had {} bytes and now has {}",
                               quote_path(m_path), m_status.st_size, now.st_size),
                   "Retry when nothing is writing to it."};
    }
    std::string bytes(count, '\0');
    std::size_t got = 0;
    while (got < bytes.size()) {
      const ssize_t done = ::pread(m_file.get(), bytes.data() + got, bytes.size() - got,
                                   static_cast<off_t>(from + got));
      if (done < 0 && errno == EINTR) continue;
      if (done <= 0)
        return system_error("cannot read " + quote_path(m_path), done < 0 ? errno : EIO);
      got += static_cast<std::size_t>(done);
    }
    return bytes;
  }

 private:
  std::string m_path{};
  FileDescriptor m_file{};
  struct stat m_status {};
};

/// The requests of an upload.
class UploadRequests {
 public:
  explicit UploadRequests(const ChunkedFile& file) : m_file(file) {}

  Result<request::Request> initialize() const {
    const Operation* operation = find_operation("files", "initialize");
    request::Inputs inputs;
    inputs.given.push_back({find_field(*operation, NewFlags::k_name<"name">), m_file.name});
    inputs.given.push_back(
        {find_field(*operation, NewFlags::k_name<"content-type">), m_file.content_type});
    return make("initialize", std::move(inputs));
  }

  /// The next chunk of the file `id`.
  Result<request::Request> chunk(const std::string& id, std::string_view bytes) const {
    request::Inputs inputs = with_id("upload-chunk", id);
    inputs.body = R"({"chunk":""})";  // replaced, as it is large
    SVC_TRY(request, make("upload-chunk", std::move(inputs)));
    request.body = fmt::format(R"({{"file_id":{},"chunk":"{}"}})", compact_json(json(id)),
                               base64_encode(bytes));
    return std::move(request);
  }

  /// The service's description of the file `id`.
  Result<request::Request> look(const std::string& id) const {
    return make("get", with_id("get", id));
  }

  Result<request::Request> remove(const std::string& id) const {
    return make("delete", with_id("delete", id));
  }

 private:
  Result<request::Request> make(const char* name, request::Inputs inputs) const {
    inputs.headers = m_file.headers;
    return request::build_request(*find_operation("files", name), inputs,
                                  {.base_url = m_file.base_url});
  }

  static request::Inputs with_id(const char* name, const std::string& id) {
    request::Inputs inputs;
    inputs.given.push_back({find_field(*find_operation("files", name),
                                       Flags<catalogue::files::k_chunk_fields>::k_name<"file-id">),
                            id});
    return inputs;
  }

  const ChunkedFile& m_file;
};

class ChunkedUpload {
 public:
  ChunkedUpload(ApiClient& client, const ChunkedFile& file, LocalFile source, UploadJournal journal)
      : m_client(client),
        m_requests(file),
        m_source(std::move(source)),
        m_journal(std::move(journal)) {}

  Result<std::string> run(const UploadProgress& on_progress,
                          const std::function<void(const std::string&)>& note) {
    if (m_journal.state()) SVC_CHECK(take_up(note));
    while (true) {
      auto described = send_all(on_progress);
      if (!described) return add_resume_hint(std::move(described).error());
      if (!described->empty()) return described;
      if (++m_restarts > k_most_failures) {
        return Error{Fault::Network, "the service keeps storing a chunk of the file twice"};
      }
      note(fmt::format("a chunk of {} arrived twice; restarting the upload",
                       visible(m_state.file_id, Lines::Escape)));
      discard_remote_file();
    }
  }

 private:
  /// Returns the service's description of the whole file; "" if it contains a chunk twice.
  Result<std::string> send_all(const UploadProgress& on_progress) {
    if (m_state.file_id.empty()) SVC_CHECK(initialize());
    for (bool first = true; m_state.sent < m_source.size(); first = false) {
      on_progress(m_state.sent, m_source.size());
      SVC_CHECK(send_chunk());
      if (!m_may_have_duplicate || !first || m_state.sent == m_source.size()) continue;
      SVC_TRY(reply, call(m_requests.look(m_state.file_id)));
      if (read_remote_file(reply.body).bytes.value_or(0) > m_state.sent) return std::string();
    }
    on_progress(m_state.sent, m_source.size());
    return confirm();
  }

  /// Deletes the partial file, which is useless. It may be deleted already.
  void discard_remote_file() {
    (void)call(m_requests.remove(m_state.file_id));
    m_state = {};
    m_may_have_duplicate = false;
  }

  Result<CallReply> call(const Result<request::Request>& request) {
    return request ? m_client.call(*request) : request.error();
  }

  Result<void> initialize() {
    SVC_TRY(reply, call(m_requests.initialize()));
    const json made = parse_reply(reply.body);
    for (const char* name : {"file_id", "id"}) {
      if (member(made, name).is_string()) m_state.file_id = text_member(made, name);
    }
    if (m_state.file_id.empty()) {
      return Error{Fault::Network, "the service started the upload without a file ID",
                   "Inspect the response: svc files initialize NAME --content-type TYPE"};
    }
    return m_journal.save(m_state);
  }

  /// Resumes the upload of an earlier run if it is certain how much of it arrived.
  Result<void> take_up(const std::function<void(const std::string&)>& note) {
    m_state = *m_journal.state();
    SVC_CHECK(wait_for_chunk());
    SVC_TRY(where, sync_progress());
    if (!where) {
      note(fmt::format("unknown how much of {} arrived; restarting the upload",
                       visible(m_state.file_id, Lines::Escape)));
      discard_remote_file();
      return {};
    }
    note(fmt::format("resuming {} after the first {}", visible(m_state.file_id, Lines::Escape),
                     format_bytes(m_state.sent)));
    return {};
  }

  /// A chunk in flight when the last run ended may still arrive; resending it before that would
  /// store it twice.
  [[nodiscard]] Result<void> wait_for_chunk() const {
    const milliseconds age = m_journal.age();
    if (!m_state.sending || age >= k_max_flight) return {};
    return interruptible_sleep(k_max_flight - age, m_client.stop());
  }

  [[nodiscard]] std::uint64_t next_size() const {
    return std::min<std::uint64_t>(k_upload_chunk_size, m_source.size() - m_state.sent);
  }

  /// Asks the service for its size, which shows whether the last chunk arrived. Returns false if
  /// that is unclear.
  Result<bool> sync_progress() {
    const auto reply = call(m_requests.look(m_state.file_id));
    if (!reply && reply.error().fault == Fault::NotFound) return false;
    if (!reply) return reply.error();
    const RemoteFile arrived = read_remote_file(reply->body);
    if (arrived.status == "failed") return false;
    const std::uint64_t with_chunk = m_state.sent + next_size();
    if (arrived.bytes == m_state.sent && (m_state.sent > 0 || arrived.status != "complete")) {
      // It may still arrive later; only the service can tell.
      m_may_have_duplicate = m_may_have_duplicate || m_state.sending;
      m_state.sending = false;
    } else if (m_state.sending && arrived.bytes == with_chunk) {
      m_state.sent = with_chunk;
      m_state.sending = false;
    } else if (arrived.bytes.value_or(0) != 0 || m_state.sending) {
      return false;
    }
    return true;  // no size yet, but every sent chunk was confirmed
  }

  Result<void> send_chunk() {
    const std::uint64_t size = next_size();
    SVC_TRY(bytes, m_source.read(m_state.sent, size));
    SVC_TRY(request, m_requests.chunk(m_state.file_id, bytes));
    m_state.sending = true;
    SVC_CHECK(m_journal.save(m_state));
    auto reply = m_client.call(request);
    if (reply) {
      m_state.sent += size;
      m_state.sending = false;
      m_failures = 0;
      return m_journal.save(m_state);
    }
    return after_failure(std::move(reply).error());
  }

  /// Checks whether the chunk arrived despite the error.
  Result<void> after_failure(Error error) {
    const bool transient = error.fault == Fault::UnknownOutcome || error.fault == Fault::Network ||
                           error.fault == Fault::Timeout || error.http_status >= 500;
    if (!transient || ++m_failures > k_most_failures) return error;
    const std::uint64_t before = m_state.sent;
    // The service may still be receiving it: resending it before that would store it twice.
    if (error.may_have_run) SVC_CHECK(interruptible_sleep(k_max_flight, m_client.stop()));
    const auto known = sync_progress();
    if (!known || !*known) return error;
    if (m_state.sent > before) m_failures = 0;
    return m_journal.save(m_state);
  }

  /// No request completes an upload; the service's description of the file shows that it is
  /// complete.
  Result<std::string> confirm() {
    for (milliseconds pause{200};; pause *= 2) {
      SVC_TRY(reply, call(m_requests.look(m_state.file_id)));
      const RemoteFile arrived = read_remote_file(reply.body);
      if (arrived.status == "failed") {
        m_journal.remove();
        return Error{Fault::RemoteJob,
                     fmt::format("the service reports that the upload of {} failed",
                                 visible(m_state.file_id, Lines::Escape)),
                     "Inspect it with `svc files get`, delete it and upload again."};
      }
      const bool whole = arrived.bytes.value_or(m_source.size()) == m_source.size();
      const bool over = arrived.status.empty() || arrived.status == "complete" ||
                        arrived.status == "processed" || arrived.status == "uploaded";
      if (m_may_have_duplicate && arrived.bytes.value_or(0) > m_source.size()) return std::string();
      if (!whole && over && !arrived.status.empty()) return incomplete(*arrived.bytes);
      if ((whole && over) || pause > milliseconds(2000)) {
        if (!whole) return incomplete(*arrived.bytes);
        m_journal.remove();
        return std::move(reply.body);
      }
      SVC_CHECK(interruptible_sleep(pause, m_client.stop()));
    }
  }

  Error incomplete(std::uint64_t bytes) {
    m_journal.remove();
    return Error{Fault::Network,
                 fmt::format("the service has {} of {} bytes of {}", bytes, m_source.size(),
                             visible(m_state.file_id, Lines::Escape)),
                 fmt::format("Delete it with `svc files delete {}` and upload again.",
                             shell_quote(m_state.file_id))};
  }

  Error add_resume_hint(Error error) const {
    const std::string id = visible(m_state.file_id, Lines::Escape);
    if (error.fault == Fault::Local || !m_journal.state() || id.empty()) return error;
    add_hint(error, fmt::format("The first {} are in {}; {}.", format_bytes(m_state.sent), id,
                                m_journal.is_persistent()
                                    ? "rerun the command to resume from there"
                                    : "without a state directory the upload starts again"));
    return error;
  }

  ApiClient& m_client;
  UploadRequests m_requests;
  LocalFile m_source;
  UploadJournal m_journal;
  UploadState m_state{};
  bool m_may_have_duplicate = false;  ///< a chunk was resent that may have been in flight
  int m_failures = 0;
  int m_restarts = 0;
};

constexpr std::size_t k_most_bytes = 16U << 10U;

std::filesystem::path journal_directory() {
  const auto directory = state_directory();
  return directory.empty() ? directory : directory / "uploads";
}

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

/// Opens and locks the file; returns a closed descriptor if the file was removed in the meantime
/// and must be created again.
Result<FileDescriptor> open_locked(const std::string& path) {
  const int flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW;
  FileDescriptor file(::open(path.c_str(), flags, 0600));
  if (!file.is_open()) return system_error("cannot write " + quote_path(path), errno);
  if (::flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
    return Error{Fault::Local, "another svc process is uploading this file",
                 "Wait for it, or stop it first."};
  }
  struct stat status {};
  if (::fstat(file.get(), &status) == 0 && status.st_nlink == 0) file.reset();
  return file;
}

/// Of the upload in its journal; "" if no later run can resume it.
std::string identity_of(const ChunkedFile& file, const LocalFile& source) {
  if (!file.resumable) return {};
  std::error_code failed;
  const auto canonical_path = std::filesystem::weakly_canonical(file.path, failed);
  return compact_json(json{file.service, failed ? file.path : canonical_path.string(),
                           source.size(), source.changed_at(), file.name, file.content_type});
}

}  // namespace

Result<std::string> upload_in_chunks(ApiClient& client, const ChunkedFile& file,
                                     const UploadProgress& on_progress,
                                     const std::function<void(const std::string&)>& note) {
  SVC_TRY(source, LocalFile::open(file.path));
  SVC_TRY(journal, UploadJournal::open(identity_of(file, source)));
  return ChunkedUpload(client, file, std::move(source), std::move(journal)).run(on_progress, note);
}

Result<void> plan_upload(const ChunkedFile& file, const std::string& name,
                         const std::function<Result<void>(request::Step step)>& add) {
  SVC_TRY(source, LocalFile::open(file.path));
  const UploadRequests requests(file);
  const auto begun = UploadJournal::look(identity_of(file, source));
  const std::string id = begun ? begun->file_id : request::placeholder_id("file");
  const auto add_named = [&](request::Step step) {
    if (!begun && !step.result) request::put_variable(step.request, id, name);
    return add(std::move(step));
  };
  SVC_TRY(first, begun ? requests.look(id) : requests.initialize());
  SVC_CHECK(add_named(
      {.request = std::move(first),
       .purpose = begun ? fmt::format("See how much of {} has arrived; if that is unclear, it is "
                                      "deleted and the upload starts again.",
                                      file.name)
                        : fmt::format("Start the upload of {}.", file.name),
       .result = request::StepResult{name, ".file_id // .id"}}));
  const std::uint64_t count = (source.size() + k_upload_chunk_size - 1) / k_upload_chunk_size;
  for (std::uint64_t number = begun ? begun->sent / k_upload_chunk_size : 0; number < count;
       ++number) {
    const std::uint64_t from = number * k_upload_chunk_size;
    SVC_TRY(bytes, source.read(from, std::min(k_upload_chunk_size, source.size() - from)));
    SVC_TRY(request, requests.chunk(id, bytes));
    const bool unclear = begun && begun->sending && from == begun->sent;
    SVC_CHECK(add_named({.request = std::move(request),
                         .purpose = fmt::format("Upload chunk {} of {}.", number + 1, count),
                         .condition = unclear ? "unless it has arrived" : ""}));
  }
  SVC_TRY(look, requests.look(id));
  return add_named({.request = std::move(look), .repeats = "until the file is complete"});
}

std::optional<UploadState> UploadJournal::look(const std::string& identity) {
  const auto directory = journal_directory();
  if (identity.empty() || directory.empty()) return std::nullopt;
  const std::string path = (directory / file_name_of(identity)).string();
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (!file.is_open()) return std::nullopt;
  auto state = read_state(file.get(), identity);
  return state && !state->file_id.empty() ? state : std::nullopt;
}

Result<UploadJournal> UploadJournal::open(const std::string& identity) {
  UploadJournal journal;
  journal.m_identity = identity;
  const auto directory = journal_directory();
  if (identity.empty() || directory.empty() || !make_private_directory(directory)) return journal;
  journal.m_path = (directory / file_name_of(identity)).string();
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
  if (!m_file.is_open() || ::fstat(m_file.get(), &status) != 0) return milliseconds::max();
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const std::chrono::nanoseconds saved(modified_at(status));
  return std::max(milliseconds(0), std::chrono::floor<milliseconds>(now - saved));
}

Result<void> UploadJournal::save(const UploadState& state) {
  m_state = state;
  if (!m_file.is_open()) return {};
  const std::string text = compact_json(json{{"upload", m_identity},
                                             {"file_id", state.file_id},
                                             {"sent", state.sent},
                                             {"sending", state.sending}});
  // Pads the text to the length of the file, so that a reader never sees the end of an older state.
  struct stat status {};
  std::string padded = text;
  if (::fstat(m_file.get(), &status) == 0 && static_cast<std::size_t>(status.st_size) > text.size())
    padded.resize(static_cast<std::size_t>(status.st_size), ' ');
  const ssize_t written = ::pwrite(m_file.get(), padded.data(), padded.size(), 0);
  if (written != static_cast<ssize_t>(padded.size()) || flush_data(m_file.get()) != 0) {
    return write_error(m_path, written < 0 ? errno : ENOSPC);
  }
  return {};
}

void UploadJournal::remove() {
  m_state.reset();
  if (!m_file.is_open()) return;
  ::unlink(m_path.c_str());  // under the lock: a process waiting for it sees that the file is gone
  m_file.reset();
}

}  // namespace svc
