// `svc collections documents add`: adds files by ID, path, directory or manifest.
#include <algorithm>
#include <filesystem>
#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "catalogue/collections_fields.h"
#include "commands/collections/documents.h"
#include "commands/collections/documents_send.h"
#include "commands/command.h"
#include "json/document.h"
#include "operation/chunked_upload.h"
#include "operation/results.h"
#include "operation/runner.h"
#include "request/convert.h"
#include "request/form.h"

namespace svc::cli {
namespace {

using DocumentAddFlags = Flags<catalogue::collections::k_add_fields>;

namespace fs = std::filesystem;

class Adding {
 public:
  explicit Adding(Session& session)
      : m_session(session),
        m_operation(*session.invocation().operation),
        m_flags(session.inputs()),
        m_collection(m_flags.text<"collection-id">()) {}

  Result<void> run() {
    SVC_CHECK(read_common_fields());
    SVC_CHECK(collect());
    if (m_session.globals().shows_only()) return show_all();
    // Report invalid flags before uploading anything.
    SVC_TRY(first, add_request(m_documents.front(), "file"));
    for (const std::string& warning : first.warnings) m_session.notices().warning(warning);
    SVC_TRY(client, open_client(m_session, first));
    m_client = std::move(client);
    SVC_TRY(service, stored_service(m_session));
    UploadedFiles uploaded(service, m_collection);
    SVC_CHECK(skip_known(uploaded));
    const auto make_add = [this](const Document& document) { return add_request(document, ""); };
    const Result<void> added =
        send_documents(m_session, *m_client, uploaded, make_add, m_documents, jobs());
    if (added) uploaded.forget();
    SVC_CHECK(print());
    SVC_CHECK(m_session.out().flush());
    if (!added) return explain(added.error());
    return wait();
  }

 private:
  [[nodiscard]] std::size_t jobs() const {
    constexpr std::int64_t by_default = 4;
    return static_cast<std::size_t>(m_flags.get<"jobs">().value_or(by_default));
  }

  static Error explain(Error error) {
    if (is_cancellation(error.fault)) {
      error.hint = "Added documents stay; rerun the command to add the rest.";
    }
    return error;
  }

  // Which documents to add ------------------------------------------------------------------------

  Result<void> read_common_fields() {
    if (const auto text = m_flags.get<"fields">()) {
      SVC_TRY(fields, request::resolve_json("--fields", *text));
      if (!fields.is_object()) return usage_error("--fields must be a JSON object");
      m_common = std::move(fields);
    }
    for (const std::string& given : m_flags.get<"field-value">()) {
      const std::size_t equals = given.find('=');
      if (equals == 0 || equals == std::string::npos) {
        return usage_error(fmt::format("--field-value must be key=value, not '{}'", shown(given)));
      }
      m_common[given.substr(0, equals)] = given.substr(equals + 1);
    }
    return {};
  }

  Result<void> collect() {
    for (const std::string& target : m_flags.get<"file-id">()) {
      SVC_CHECK(collect_one(target, OrderedJson::object()));
    }
    if (const auto path = m_flags.get<"manifest">()) {
      SVC_TRY(text, request::read_named_file("--manifest", *path));
      SVC_TRY(rows, read_manifest(fmt::format("--manifest {}", shown(*path)), text));
      for (const ManifestRow& row : rows) {
        SVC_CHECK(collect_one(row.target, OrderedJson::parse(row.fields, nullptr, false)));
      }
    }
    if (!m_documents.empty()) return {};
    return usage_error("nothing to add", "Pass file IDs or paths, or use --manifest.");
  }

  [[nodiscard]] bool names_files() const {
    return std::ranges::any_of(m_documents,
                               [](const Document& document) { return !document.path.empty(); });
  }

  Result<void> collect_one(const std::string& target, const OrderedJson& fields) {
    std::error_code ignored;
    const fs::file_status status = fs::status(target, ignored);
    if (!fs::exists(status)) {
      const bool path = target.find('/') != std::string::npos || !target.starts_with("file_");
      if (path) {
        return usage_error(fmt::format("no such file: {}", shown(target)),
                           "Pass the path of a file, or an ID such as file_….");
      }
      add_document(target, "", fields);
      return {};
    }
    if (!fs::is_directory(status)) return collect_file(target, fields);
    if (!m_flags.is_true<"recursive">()) {
      return usage_error(fmt::format("{} is a directory", shown(target)),
                         "Use --recursive to add all files in it.");
    }
    return collect_directory(target, fields);
  }

  Result<void> collect_file(const std::string& path, const OrderedJson& fields) {
    std::error_code failed;
    if (!fs::is_regular_file(path, failed)) {
      return usage_error(fmt::format("{} is not a regular file", shown(path)));
    }
    const std::uint64_t size = fs::file_size(path, failed);
    if (size == 0) return usage_error(fmt::format("{} is empty", shown(path)));
    if (size > k_max_chunked_upload) {
      return usage_error(fmt::format("{} is larger than {}, the maximum size", shown(path),
                                     format_bytes(k_max_chunked_upload)));
    }
    add_document("", path, fields);
    m_documents.back().size = size;
    return {};
  }

  Result<void> collect_directory(const std::string& directory, const OrderedJson& fields) {
    std::error_code failed;
    std::vector<std::string> paths;
    for (auto at = fs::recursive_directory_iterator(directory, failed);
         !failed && at != fs::recursive_directory_iterator(); at.increment(failed)) {
      const bool hidden = at->path().filename().native().starts_with('.');
      if (hidden && at->is_directory(failed)) at.disable_recursion_pending();
      if (hidden || !at->is_regular_file(failed) || at->file_size(failed) == 0) continue;
      paths.push_back(at->path().string());
    }
    if (failed)
      return system_error("cannot read the directory " + shown(directory), failed.value());
    std::sort(paths.begin(), paths.end());
    for (const std::string& path : paths) SVC_CHECK(collect_file(path, fields));
    return {};
  }

  void add_document(std::string file_id, std::string path, const OrderedJson& fields) {
    OrderedJson all = m_common;
    if (fields.is_object()) all.update(fields);
    m_documents.push_back({.file_id = std::move(file_id),
                           .path = std::move(path),
                           .fields = all.empty() ? std::string() : compact_json(all)});
  }

  static constexpr sv k_unless_there = "unless the collection has a file with the same content";

  // Requests ------------------------------------------------------------------------------------

  Result<request::Request> add_request(const Document& document, const std::string& otherwise) {
    request::Inputs inputs = m_session.invocation().inputs;
    const std::string& id = document.file_id.empty() ? otherwise : document.file_id;
    inputs.given = {
        {find_field(m_operation, DocumentAddFlags::k_name<"collection-id">), m_collection}};
    if (!id.empty())
      inputs.given.push_back({find_field(m_operation, DocumentAddFlags::k_name<"file-id">), id});
    if (!document.fields.empty()) {
      inputs.given.push_back(
          {find_field(m_operation, DocumentAddFlags::k_name<"fields">), document.fields});
    }
    return prepare(m_session, m_operation, inputs);
  }

  /// Files that the collection has, by their hash, are neither uploaded nor added.
  Result<void> show_all() {
    PlanPrinter printer(m_session);
    if (names_files()) {
      SVC_TRY(list, list_request(m_session, m_collection));
      SVC_CHECK(printer.add({.request = std::move(list), .repeats = "until the list ends"}));
    }
    if (const auto service = stored_service(m_session)) {
      SVC_CHECK(identify(UploadedFiles(*service, m_collection), {}));
    }
    std::vector<std::string> ids(m_documents.size());
    for (std::size_t at = 0; at < ids.size(); ++at) {
      const Document& document = m_documents[at];
      if (document.same != nullptr) continue;
      const bool by_path = !document.path.empty() && !document.remembered;
      ids[at] = by_path ? request::placeholder_id("file") : document.file_id;
      if (by_path) {
        SVC_CHECK(show_document_upload(printer, document, fmt::format("FILE_{}", at + 1)));
      }
      SVC_CHECK(show_with_id(printer, add_request(document, ids[at]), ids[at], at, {}));
    }
    for (std::size_t at = 0; at < ids.size() && m_flags.get<"wait">() != false; ++at) {
      if (m_documents[at].same != nullptr) continue;
      SVC_CHECK(show_with_id(printer, look_request(m_session, m_collection, ids[at]), ids[at], at,
                             "until the document is processed"));
    }
    return printer.finish();
  }

  /// A request with the ID of document `at`, which is a variable until it is uploaded.
  Result<void> show_with_id(PlanPrinter& printer, Result<request::Request> request,
                            const std::string& id, std::size_t at, std::string repeats) {
    if (!request) return std::move(request).error();
    request::Step step{.request = *std::move(request), .repeats = std::move(repeats)};
    const Document& document = m_documents[at];
    if (document.path.empty()) return printer.add(std::move(step));
    if (!document.remembered) {
      request::put_variable(step.request, id, fmt::format("FILE_{}", at + 1));
    }
    step.condition = k_unless_there;
    return printer.add(std::move(step));
  }

  Result<void> show_document_upload(PlanPrinter& printer, const Document& document,
                                    const std::string& name) {
    if (document.size <= largest_form_upload()) {
      SVC_TRY(request, document_upload(m_session, document.path));
      return printer.add({.request = std::move(request),
                          .condition = std::string(k_unless_there),
                          .result = request::StepResult{name, ".id // .file_id"}});
    }
    const std::string file = fs::path(document.path).filename().string();
    return show_upload(m_session, printer,
                       {.path = document.path,
                        .name = file,
                        .content_type = std::string(request::file_type(document.path, file))},
                       name, k_unless_there);
  }

  // Adding ----------------------------------------------------------------------------------------

  /// Skips files that are already in the collection and duplicates of an earlier file, by hash, so
  /// that rerunning the command adds nothing twice.
  Result<void> skip_known(const UploadedFiles& uploaded) {
    if (!names_files()) return {};
    m_session.progress().start("Listing files");
    SVC_TRY(known, all_documents(m_session, *m_client, m_collection));
    std::map<std::string, std::string> ids;
    for (const DocumentFacts& facts : known) {
      if (!facts.hash.empty() && facts.state != DocumentState::Failed) {
        ids.emplace(facts.hash, facts.file_id);
      }
    }
    SVC_CHECK(identify(uploaded, ids));
    m_session.progress().finish();
    return {};
  }

  /// Finds, by hash, the files that the collection has (`there` has their IDs), that equal an
  /// earlier one, or that an interrupted run has uploaded.
  Result<void> identify(const UploadedFiles& uploaded,
                        const std::map<std::string, std::string>& there) {
    std::map<std::string, const Document*> named;
    for (Document& document : m_documents) {
      if (document.path.empty()) continue;
      if (const auto fault = m_session.cancel_token().requested()) return canceled(*fault);
      SVC_TRY(hash, hash_of_file(document.path));
      m_session.progress().tick();
      const auto known = there.find(hash);
      const auto [first, is_new] = named.emplace(hash, &document);
      if (known == there.end() && is_new) {
        document.file_id = uploaded.find(hash);
        document.remembered = !document.file_id.empty();
        document.hash = std::move(hash);
        continue;
      }
      if (known != there.end()) document.file_id = known->second;
      if (known == there.end()) document.same = first->second;
      document.outcome = "already added";
    }
    return {};
  }

  Result<void> wait() {
    if (m_flags.get<"wait">() == false) return {};
    std::vector<std::string> ids;
    for (const Document& document : m_documents) {
      if (document.outcome == "added") ids.push_back(document.file_id);
    }
    if (ids.empty()) return {};
    return wait_for_documents(m_session, *m_client, m_collection, std::move(ids));
  }

  Result<void> print() {
    OrderedJson all = OrderedJson::array();
    for (const Document& document : m_documents) {
      if (document.outcome.empty()) continue;
      const Document& named = document.same != nullptr ? *document.same : document;
      const std::string& outcome = named.outcome == "failed" ? named.outcome : document.outcome;
      all.push_back({{"file_id", named.file_id}, {"path", document.path}, {"outcome", outcome}});
    }
    return print_list(m_session, all);
  }

  Session& m_session;
  const Operation& m_operation;
  DocumentAddFlags m_flags;
  std::string m_collection;
  OrderedJson m_common = OrderedJson::object();
  std::vector<Document> m_documents{};
  std::unique_ptr<ApiClient> m_client{};
};

}  // namespace

template <>
Result<void> run<Handler::CollectionsDocumentsAdd>(Session& session) {
  return Adding(session).run();
}

}  // namespace svc::cli
