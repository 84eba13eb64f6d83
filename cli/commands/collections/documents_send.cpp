#include "commands/collections/documents_send.h"

#include <algorithm>
#include <deque>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/files.h"
#include "base/text.h"
#include "catalogue/files_fields.h"
#include "json/document.h"
#include "operation/chunked_upload.h"
#include "operation/results.h"
#include "operation/runner.h"
#include "request/form.h"

namespace svc::cli {
namespace {

/// The file ID in an upload's response.
Result<std::string> uploaded_id(const std::string& body) {
  std::string id = text_member(parse_reply(body), {"id", "file_id"});
  if (!id.empty()) return id;
  return Error{Fault::Network, "the upload response has no file ID"};
}

}  // namespace

static constexpr sv k_upload_file = Flags<catalogue::files::k_upload_fields>::k_name<"file">;

std::uint64_t largest_form_upload() {
  const Operation* upload = find_operation("files", "upload");
  return find_field(*upload, k_upload_file)->max_bytes;
}

Result<request::Request> document_upload(Session& session, const std::string& path) {
  const Operation* upload = find_operation("files", "upload");
  request::Inputs inputs;
  inputs.given.push_back({find_field(*upload, k_upload_file), path});
  return prepare(session, *upload, inputs);
}

UploadedFiles::UploadedFiles(const std::string& service, const std::string& collection) {
  const auto directory = state_directory();
  if (directory.empty()) return;
  const std::string whose = service + "\n" + collection;
  m_path =
      (directory / "documents" / fmt::format("{:016x}", std::hash<std::string>{}(whose))).string();
  std::ifstream in(m_path);
  std::string hash;
  std::string id;
  // An interrupted write leaves a line without an ID or with an unknown one; that file is uploaded
  // again.
  while (in >> hash >> id) m_ids[hash] = id;
}

std::string UploadedFiles::find(const std::string& hash) const {
  const auto found = m_ids.find(hash);
  return found != m_ids.end() ? found->second : std::string();
}

void UploadedFiles::add(const std::string& hash, const std::string& file_id) {
  m_ids[hash] = file_id;
  if (m_path.empty() || !make_private_directory(state_directory() / "documents")) return;
  std::ofstream out(m_path, std::ios::app);
  out << hash << ' ' << file_id << '\n';
}

void UploadedFiles::forget() {
  std::error_code ignored;
  if (!m_path.empty()) std::filesystem::remove(m_path, ignored);
}

namespace {

class DocumentSender {
 public:
  DocumentSender(Session& session, ApiClient& adder, UploadedFiles& uploaded,
                 const MakeAdd& make_add, std::vector<Document>& documents)
      : m_session(session),
        m_adder(adder),
        m_uploaded(uploaded),
        m_make_add(make_add),
        m_documents(documents),
        m_failures(m_session, documents.size(), "documents were not added") {}

  Result<void> run(std::size_t jobs) {
    begin_progress();
    const Result<void> sent = m_adder.call_many(jobs, [this] { return next(); });
    for (Document* document : m_large) {
      if (!sent || m_ends) break;
      send_large(*document);
    }
    m_session.progress().finish();
    SVC_CHECK(m_failures.verdict());
    return sent;
  }

 private:
  void begin_progress() {
    for (const Document& document : m_documents) {
      if (!document.outcome.empty()) continue;
      ++m_count;
      if (document.file_id.empty()) m_bytes += document.size;
    }
    m_session.progress().start(
        m_count == 1 ? std::string("Adding a document")
                     : fmt::format("Adding {} documents", m_count),
        m_bytes > 0 ? print::ProgressUnit::Bytes : print::ProgressUnit::Items,
        m_bytes > 0 ? m_bytes : m_count);
  }

  void show_progress() {
    if (m_bytes == 0) return m_session.progress().update(m_done);
    std::uint64_t sent = m_sent;
    for (const auto& [document, bytes] : m_in_flight) sent += std::min(bytes, document->size);
    m_session.progress().aside(fmt::format("{} of {} added", m_done, m_count));
    m_session.progress().update(sent);
  }

  std::optional<CallJob> next() {
    while (!m_ends) {
      Document* document = nullptr;
      if (!m_ready.empty()) {
        document = m_ready.front();
        m_ready.pop_front();
      } else if (m_cursor < m_documents.size()) {
        document = &m_documents[m_cursor++];
      } else {
        return std::nullopt;
      }
      if (!document->outcome.empty()) continue;
      if (document->file_id.empty() && document->size > largest_form_upload()) {
        m_large.push_back(document);
        continue;
      }
      auto call = document->file_id.empty() ? upload(*document) : add(*document);
      if (call) return *std::move(call);
      fail(*document, std::move(call).error());
    }
    return std::nullopt;
  }

  Result<CallJob> upload(Document& document) {
    SVC_TRY(request, document_upload(m_session, document.path));
    SVC_CHECK(open_uploader());
    SVC_CHECK(complete_address(m_session, request));
    return CallJob{.request = std::move(request),
                   .by = m_uploader.get(),
                   .on_upload =
                       [this, &document](std::uint64_t sent, std::uint64_t) {
                         m_in_flight[&document] = sent;
                         show_progress();
                       },
                   .done =
                       [this, &document](Result<CallReply> reply) {
                         m_in_flight.erase(&document);
                         uploaded(document, reply ? uploaded_id(reply->body)
                                                  : Result<std::string>(std::move(reply).error()));
                       }};
  }

  void uploaded(Document& document, Result<std::string> id) {
    if (!id) return fail(document, std::move(id).error());
    document.file_id = *std::move(id);
    m_uploaded.add(document.hash, document.file_id);
    m_sent += document.size;
    show_progress();
    m_ready.push_back(&document);
  }

  Result<CallJob> add(Document& document) {
    SVC_TRY(request, m_make_add(document));
    SVC_CHECK(complete_address(m_session, request));
    return CallJob{.request = std::move(request),
                   .done = [this, &document](const Result<CallReply>& reply) {
                     added(document, reply ? Result<void>() : reply.error());
                   }};
  }

  void added(Document& document, Result<void> done) {
    if (!done && document.remembered && done.error().fault == Fault::NotFound) {
      // The file was deleted or has expired since an earlier run uploaded it.
      document.remembered = false;
      document.file_id.clear();
      m_ready.push_back(&document);
      return;
    }
    if (!done) return fail(document, std::move(done).error());
    document.outcome = "added";
    ++m_done;
    show_progress();
  }

  void fail(Document& document, Error error) {
    if (!document.path.empty() && !document.file_id.empty() && error.hint.empty()) {
      error.hint = fmt::format("It was uploaded as {}; rerun the command to add it.",
                               shown(document.file_id));
    }
    const bool cut = is_cancellation(error.fault);
    document.outcome = cut ? "interrupted" : "failed";
    m_ends = !m_failures.add(excerpt(document.name()), std::move(error)) || m_ends;
  }

  /// Uploads in chunks, one file after the other.
  void send_large(Document& document) {
    const auto id = upload_pieces(document);
    if (!id) return fail(document, id.error());
    uploaded(document, *id);
    (void)m_adder.call_many(1, [this] { return next(); });
  }

  Result<std::string> upload_pieces(Document& document) {
    SVC_CHECK(open_uploader());
    const std::string name = std::filesystem::path(document.path).filename().string();
    const auto made =
        upload_large(m_session, *m_uploader,
                     {.path = document.path,
                      .name = name,
                      .content_type = std::string(request::file_type(document.path, name))},
                     [&](std::uint64_t sent, std::uint64_t) {
                       m_in_flight[&document] = sent;
                       show_progress();
                     });
    m_in_flight.erase(&document);
    if (!made) return made.error();
    return uploaded_id(*made);
  }

  /// Uploads use another host and key.
  Result<void> open_uploader() {
    if (m_uploader) return {};
    SVC_TRY(uploader, m_session.client(Host::Inference));
    m_uploader = std::move(uploader);
    return {};
  }

  Session& m_session;
  ApiClient& m_adder;
  UploadedFiles& m_uploaded;
  const MakeAdd& m_make_add;
  std::vector<Document>& m_documents;
  Failures m_failures;
  std::unique_ptr<ApiClient> m_uploader{};
  std::size_t m_cursor = 0;
  std::deque<Document*> m_ready{};  // uploaded, not added yet
  std::vector<Document*> m_large{};
  std::map<const Document*, std::uint64_t> m_in_flight{};  // bytes sent of uploads in flight
  std::uint64_t m_sent = 0;                                // bytes of finished uploads
  std::uint64_t m_bytes = 0;
  std::uint64_t m_count = 0;
  std::uint64_t m_done = 0;
  bool m_ends = false;
};

}  // namespace

Result<void> send_documents(Session& session, ApiClient& adder, UploadedFiles& uploaded,
                            const MakeAdd& make_add, std::vector<Document>& documents,
                            std::size_t jobs) {
  return DocumentSender(session, adder, uploaded, make_add, documents).run(jobs);
}

}  // namespace svc::cli
