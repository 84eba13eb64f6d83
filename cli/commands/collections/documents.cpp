#include "commands/collections/documents.h"

#include <array>
#include <fstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/sha256.h"
#include "base/text.h"
#include "client/list_items.h"
#include "commands/registry.h"
#include "json/document.h"
#include "json/slices.h"
#include "operation/runner.h"
#include "operation/waiter.h"
#include "request/inputs.h"

namespace svc::cli {
namespace {

using nlohmann::json;

DocumentState state_of(const std::string& status) {
  if (status.ends_with("_PROCESSED")) return DocumentState::Ready;
  return status.ends_with("_FAILED") ? DocumentState::Failed : DocumentState::Working;
}

Error failed(const DocumentFacts& document) {
  return Error{
      Fault::RemoteJob,
      fmt::format("the document {} could not be processed: {}", shown(document.file_id, 120),
                  document.error.empty() ? shown(document.status, 120)
                                         : visible(document.error, Lines::Escape)),
      "Remove the document, fix the file and add it again."};
}

}  // namespace

DocumentFacts read_document(std::string_view text) {
  const json document = parse_reply(text);
  DocumentFacts facts;
  if (!document.is_object()) return facts;
  const json& metadata = member(document, "file_metadata");
  facts.file_id = text_member(metadata, "file_id");
  facts.name = text_member(metadata, "name");
  facts.hash = to_lower(text_member(metadata, "hash"));
  facts.status = text_member(document, "status");
  facts.error = text_member(document, "error_message");
  facts.state = state_of(facts.status);
  return facts;
}

request::Inputs document_inputs(const Session& session, const Operation& operation,
                                const std::string& collection, const std::string& file_id) {
  request::Inputs inputs;
  inputs.headers = session.invocation().inputs.headers;
  inputs.given.push_back({find_field(operation, "collection-id"), collection});
  if (!file_id.empty()) inputs.given.push_back({find_field(operation, "file-id"), file_id});
  return inputs;
}

Result<std::vector<DocumentFacts>> all_documents(Session& session, ApiClient& client,
                                                 const std::string& collection) {
  const Operation& operation = *find_operation("collections", "documents list");
  SVC_TRY(request,
          prepare(session, operation, document_inputs(session, operation, collection, "")));
  SVC_CHECK(complete_address(session, request));
  std::vector<DocumentFacts> all;
  std::string token;
  while (true) {
    request::set_page(request.url, *operation.paging, operation.paging->max_page, token);
    SVC_TRY(reply, client.call(request));
    SVC_TRY(items, list_items(operation, reply.body, session.secrets()));
    for (const sv item : items) all.push_back(read_document(item));
    const std::string before = token;
    token = text_member(parse_reply(reply.body), "pagination_token");
    if (token.empty()) return all;
    if (token == before) {
      return Error{Fault::Network,
                   "the service returned the same page token twice, so the list would never end"};
    }
  }
}

namespace {

std::string resume_command(const std::string& collection, const std::string& file_id) {
  return fmt::format("svc collections documents get {} {} --wait", shell_quote(collection),
                     shell_quote(file_id));
}

Waiting waiting_for(const Session& session, sv not_ready, const std::string& resume) {
  return {.not_ready = std::string(not_ready),
          .resume = fmt::format("The service continues; wait again with: {}",
                                with_profile(session, resume))};
}

}  // namespace

Result<void> wait_for_documents(Session& session, ApiClient& client, const std::string& collection,
                                std::vector<std::string> file_ids) {
  const Operation& operation = *find_operation("collections", "documents get");
  const std::size_t count = file_ids.size();
  session.progress().start("Waiting for documents", print::Unit::Items, count);
  Waiter waiter(session, waiting_for(session,
                                     count == 1 ? "the document was not processed"
                                                : "the documents were not all processed",
                                     count == 1 ? resume_command(collection, file_ids.front())
                                                : fmt::format("svc collections documents list {}",
                                                              shell_quote(collection))));
  std::optional<Error> bad;
  while (true) {
    std::vector<std::string> left;
    for (const std::string& id : file_ids) {
      SVC_TRY(request,
              prepare(session, operation, document_inputs(session, operation, collection, id)));
      SVC_CHECK(complete_address(session, request));
      auto reply = client.call(request);
      if (!reply) return waiter.explain(std::move(reply).error());
      DocumentFacts document = read_document(reply->body);
      if (document.file_id.empty()) document.file_id = id;
      if (document.state == DocumentState::Working) left.push_back(id);
      if (document.state == DocumentState::Failed) {
        Error error = failed(document);
        if (bad) session.notices().error(error);
        if (!bad) bad = std::move(error);
      }
    }
    file_ids = std::move(left);
    session.progress().update(count - file_ids.size());
    if (file_ids.empty()) break;
    SVC_CHECK(waiter.pause());
  }
  session.progress().finish();
  if (bad) return *std::move(bad);
  return {};
}

Result<std::string> hash_of_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    return usage_error(fmt::format("the file {} cannot be read", visible(path, Lines::Escape)));
  }
  Sha256 hash;
  std::array<char, 65536> buffer{};
  while (file.read(buffer.data(), buffer.size()) || file.gcount() > 0) {
    hash.add({buffer.data(), static_cast<std::size_t>(file.gcount())});
  }
  if (file.bad()) {
    return Error{Fault::Local,
                 fmt::format("the file {} could not be read", visible(path, Lines::Escape))};
  }
  return hash.hexadecimal();
}

Result<void> run_documents_get(Session& session) {
  const Invocation& invocation = session.invocation();
  if (!invocation.is_true("wait")) return run_operation(session);
  const std::string file_id = invocation.value("file-id").value_or("");
  const std::string collection = invocation.value("collection-id").value_or("");
  return call_until(
      session, "Waiting for the document",
      waiting_for(session, "the document was not processed", resume_command(collection, file_id)),
      [&](const std::string& body) -> Result<bool> {
        DocumentFacts document = read_document(body);
        if (document.file_id.empty()) document.file_id = file_id;
        if (document.state == DocumentState::Failed) return failed(document);
        return document.state != DocumentState::Working;
      });
}

}  // namespace svc::cli
