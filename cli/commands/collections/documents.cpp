#include "commands/collections/documents.h"

#include <array>
#include <fstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "client/list_items.h"
#include "client/sha256.h"
#include "commands/registry.h"
#include "json/document.h"
#include "json/slices.h"
#include "operation/runner.h"
#include "operation/waiter.h"
#include "request/paging.h"

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
      "Remove it, mend the file, and add it again."};
}

}  // namespace

DocumentFacts read_document(std::string_view text) {
  const json document = parse_reply(text);
  DocumentFacts facts;
  if (!document.is_object()) return facts;
  const auto metadata = document.find("file_metadata");
  if (metadata != document.end()) {
    facts.file_id = text_member(*metadata, "file_id");
    facts.name = text_member(*metadata, "name");
    facts.hash = to_lower(text_member(*metadata, "hash"));
  }
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
      return Error{Fault::Network, "the service named the same page twice, so the list has no end"};
    }
  }
}

Result<void> wait_for_documents(Session& session, ApiClient& client, const std::string& collection,
                                std::vector<std::string> file_ids, std::string* last) {
  const Operation& operation = *find_operation("collections", "documents get");
  const std::string resume =
      file_ids.size() == 1
          ? fmt::format("svc {} {} {} --wait", command_name(operation), shell_quote(collection),
                        shell_quote(file_ids.front()))
          : fmt::format("svc collections documents list {}", shell_quote(collection));
  const std::size_t count = file_ids.size();
  session.progress().start("Waiting for documents", print::Unit::Items, count);
  Waiter waiter(session, {.not_ready = count == 1 ? "the document was not processed"
                                                  : "the documents were not all processed",
                          .resume = fmt::format("The service goes on with it; wait again with: {}",
                                                with_profile(session, resume))});
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
      if (last != nullptr) *last = std::move(reply->body);
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
  SVC_TRY(request, prepare(session, *invocation.operation, invocation.inputs));
  if (session.globals().dry_run || session.globals().curl) return show(session, request);
  SVC_TRY(client, open_client(session, request));
  std::string last;
  const Result<void> waited =
      wait_for_documents(session, *client, invocation.value("collection-id").value_or(""),
                         {invocation.value("file-id").value_or("")}, &last);
  if (waited || waited.error().fault == Fault::RemoteJob) {
    SVC_CHECK(print_answer(session, *invocation.operation, last));
  }
  return waited;
}

}  // namespace svc::cli
