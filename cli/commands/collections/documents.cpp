#include "commands/collections/documents.h"

#include <algorithm>
#include <array>
#include <fstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/digest.h"
#include "base/text.h"
#include "batch/csv.h"
#include "batch/line_reader.h"
#include "catalogue/collections_fields.h"
#include "commands/command.h"
#include "json/document.h"
#include "operation/runner.h"
#include "operation/waiter.h"
#include "request/convert.h"
#include "request/inputs.h"

namespace svc::cli {
namespace {

using nlohmann::json;
using DocumentFlags = Flags<catalogue::collections::k_document_get_fields>;

DocumentState state_of(const std::string& status) {
  if (status.ends_with("_PROCESSED")) return DocumentState::Ready;
  return status.ends_with("_FAILED") ? DocumentState::Failed : DocumentState::Working;
}

Error failed(const DocumentFacts& document) {
  return Error{Fault::RemoteJob,
               fmt::format("document {} could not be processed: {}", shown(document.file_id),
                           document.error.empty() ? shown(document.status)
                                                  : visible(document.error, Lines::Escape)),
               "Remove the document, fix the file and add it again."};
}

Error at_line(sv name, std::size_t line, sv what) {
  return usage_error(fmt::format("{}, line {}: {}", name, line, what));
}

bool names_target(sv column) {
  return column == "path" || column == "file_id";
}

/// The column that names a row's file.
Result<std::size_t> target_column(sv name, const std::vector<std::string>& header) {
  const auto column = std::find_if(header.begin(), header.end(), names_target);
  if (column != header.end()) return static_cast<std::size_t>(column - header.begin());
  return at_line(name, 1, "the header has neither a path nor a file_id column");
}

Result<std::vector<ManifestRow>> read_csv(sv name, sv text) {
  const auto read_some = [text](char* buffer, std::size_t size) mutable -> Result<std::size_t> {
    const std::size_t count = text.copy(buffer, size);
    text.remove_prefix(count);
    return count;
  };
  batch::LineReader reader(read_some, text.size(), batch::SplitMode::Records);
  std::vector<std::string> header;
  std::size_t target = 0;
  std::vector<ManifestRow> all;
  while (true) {
    batch::Line line;
    SVC_TRY(more, reader.next(line));
    if (!more) break;
    if (line.text.empty()) continue;
    const batch::CsvRecord row = batch::parse_csv(line.text, ',');
    if (!row.fault.empty()) return at_line(name, line.number, row.fault);
    if (header.empty()) {
      header = row.cells;
      SVC_TRY(column, target_column(name, header));
      target = column;
      continue;
    }
    if (row.cells.size() != header.size()) {
      return at_line(
          name, line.number,
          fmt::format("{} cells in this row, {} in the header", row.cells.size(), header.size()));
    }
    OrderedJson fields = OrderedJson::object();
    for (std::size_t c = 0; c < header.size(); ++c) {
      if (c != target && !row.cells[c].empty()) fields[header[c]] = row.cells[c];
    }
    if (row.cells[target].empty()) return at_line(name, line.number, "empty path or file_id");
    all.push_back({row.cells[target], compact_json(fields), line.number});
  }
  if (header.empty()) return usage_error(fmt::format("{} is empty", name));
  return all;
}

Result<std::vector<ManifestRow>> read_lines(sv name, sv text) {
  std::vector<ManifestRow> all;
  std::size_t number = 0;
  for (const sv line : split(text, '\n')) {
    ++number;
    if (trim(line).empty()) continue;
    SVC_TRY(object, request::parse_user_json(fmt::format("{}, line {}", name, number), line));
    std::string target;
    for (const char* member : {"path", "file_id"}) {
      if (!object.is_object() || !object.contains(member) || !object[member].is_string()) continue;
      target = object[member].get<std::string>();
      object.erase(member);
      break;
    }
    if (target.empty()) return at_line(name, number, "missing path or file_id");
    all.push_back({std::move(target), compact_json(object), number});
  }
  return all;
}

}  // namespace

DocumentFacts read_document(std::string_view text) {
  const json document = parse_reply(text);
  DocumentFacts facts;
  if (!document.is_object()) return facts;
  const json& metadata = member(document, "file_metadata");
  facts.file_id = text_member(metadata, "file_id");
  facts.hash = to_lower(text_member(metadata, "hash"));
  facts.status = text_member(document, "status");
  facts.error = text_member(document, "error_message");
  facts.state = state_of(facts.status);
  return facts;
}

Result<request::Request> list_request(Session& session, const std::string& collection) {
  const Operation& operation = *find_operation("collections", "documents list");
  SVC_TRY(request, prepare_other(session, operation,
                                 {{DocumentFlags::k_name<"collection-id">, collection}}));
  request::set_page(request.url, *operation.paging, operation.paging->max_page, {});
  return std::move(request);
}

Result<request::Request> look_request(Session& session, const std::string& collection,
                                      const std::string& file_id) {
  return prepare_other(session, *find_operation("collections", "documents get"),
                       {{DocumentFlags::k_name<"collection-id">, collection},
                        {DocumentFlags::k_name<"file-id">, file_id}});
}

Result<std::vector<DocumentFacts>> all_documents(Session& session, ApiClient& client,
                                                 const std::string& collection) {
  SVC_TRY(request, list_request(session, collection));
  SVC_CHECK(complete_address(session, request));
  std::vector<DocumentFacts> all;
  SVC_CHECK(each_item(session, client, std::move(request),
                      [&all](sv item) { all.push_back(read_document(item)); }));
  return all;
}

namespace {

std::string resume_command(const std::string& collection, const std::string& file_id) {
  return fmt::format("svc collections documents get {} {} --wait", shell_quote(collection),
                     shell_quote(file_id));
}

Waiting waiting_for(const Session& session, sv timed_out, const std::string& resume) {
  return {.timed_out = std::string(timed_out),
          .resume = fmt::format("Processing continues on the service; wait again with: {}",
                                with_profile(session, resume))};
}

}  // namespace

Result<void> wait_for_documents(Session& session, ApiClient& client, const std::string& collection,
                                std::vector<std::string> file_ids) {
  const std::size_t count = file_ids.size();
  session.progress().start("Waiting for documents", print::ProgressUnit::Items, count);
  const bool single = count == 1;
  const Waiting waiting = waiting_for(
      session, single ? "the document was not processed" : "the documents were not all processed",
      single ? resume_command(collection, file_ids.front())
             : fmt::format("svc collections documents list {}", shell_quote(collection)));
  std::optional<Error> bad;
  const auto are_ready = [&]() -> Result<bool> {
    std::vector<std::string> left;
    for (const std::string& id : file_ids) {
      SVC_TRY(request, look_request(session, collection, id));
      SVC_CHECK(complete_address(session, request));
      SVC_TRY(reply, client.call(request));
      DocumentFacts document = read_document(reply.body);
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
    return file_ids.empty();
  };
  SVC_CHECK(wait_until(session, waiting, are_ready));
  if (bad) return *std::move(bad);
  return {};
}

Result<std::string> hash_of_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    return usage_error(fmt::format("cannot read {}", visible(path, Lines::Escape)));
  }
  Sha256 hash;
  std::array<char, 65536> buffer{};
  while (file.read(buffer.data(), buffer.size()) || file.gcount() > 0) {
    hash.add({buffer.data(), static_cast<std::size_t>(file.gcount())});
  }
  if (file.bad()) {
    return Error{Fault::Local, fmt::format("cannot read {}", visible(path, Lines::Escape))};
  }
  return hash.hexadecimal();
}

template <>
Result<void> run<Handler::CollectionsDocumentsGet>(Session& session) {
  const DocumentFlags flags(session.inputs());
  if (!flags.is_true<"wait">()) return run_operation(session);
  const std::string file_id = flags.text<"file-id">();
  const std::string collection = flags.text<"collection-id">();
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

Result<std::vector<ManifestRow>> read_manifest(std::string_view name, std::string_view text) {
  if (const auto at = first_invalid_utf8(text)) {
    return usage_error(fmt::format("{} is not valid UTF-8 (at byte {})", name, *at + 1),
                       "Save it as UTF-8.");
  }
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  return trim(text).starts_with('{') ? read_lines(name, text) : read_csv(name, text);
}

}  // namespace svc::cli
