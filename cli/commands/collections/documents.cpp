#include "commands/collections/documents.h"

#include <algorithm>
#include <array>
#include <fstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/sha256.h"
#include "base/text.h"
#include "catalogue/collections_fields.h"
#include "client/list_items.h"
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
               fmt::format("document {} could not be processed: {}", shown(document.file_id, 120),
                           document.error.empty() ? shown(document.status, 120)
                                                  : visible(document.error, Lines::Escape)),
               "Remove the document, fix the file and add it again."};
}

Error at_line(sv name, std::size_t line, sv what) {
  return usage_error(fmt::format("{}, line {}: {}", name, line, what));
}

struct CsvRow {
  std::vector<std::string> cells{};
  std::size_t line = 1;
};

/// Parses CSV (RFC 4180).
class CsvReader {
 public:
  CsvReader(sv name, sv text) : m_name(name), m_text(text) {}

  Result<std::vector<CsvRow>> read() {
    std::vector<CsvRow> rows;
    while (m_at < m_text.size()) {
      CsvRow row{.line = m_line};
      bool more = true;
      while (more) {
        SVC_TRY(cell, read_cell());
        row.cells.push_back(std::move(cell));
        more = m_at < m_text.size() && m_text[m_at] == ',';
        if (more) ++m_at;
      }
      end_line();
      const bool blank = row.cells.size() == 1 && row.cells.front().empty();
      if (!blank) rows.push_back(std::move(row));
    }
    return rows;
  }

 private:
  Result<std::string> read_cell() {
    std::string cell;
    if (m_at == m_text.size() || m_text[m_at] != '"') {
      const std::size_t end = std::min(m_text.find_first_of(",\r\n", m_at), m_text.size());
      cell = m_text.substr(m_at, end - m_at);
      m_at = end;
      return cell;
    }
    const std::size_t begin = m_line;
    for (++m_at; m_at < m_text.size(); ++m_at) {
      const char c = m_text[m_at];
      if (c == '\n') ++m_line;
      if (c == '"') {
        if (m_at + 1 == m_text.size() || m_text[m_at + 1] != '"') {
          ++m_at;
          return after_quote(std::move(cell));
        }
        ++m_at;
      }
      cell += c;
    }
    return at_line(m_name, begin, "unclosed quote");
  }

  Result<std::string> after_quote(std::string cell) {
    const bool ends = m_at == m_text.size() || sv(",\r\n").find(m_text[m_at]) != sv::npos;
    if (ends) return cell;
    return at_line(m_name, m_line, "text after a closing quote");
  }

  void end_line() {
    if (m_at < m_text.size() && m_text[m_at] == '\r') ++m_at;
    if (m_at < m_text.size() && m_text[m_at] == '\n') {
      ++m_at;
      ++m_line;
    }
  }

  sv m_name;
  sv m_text;
  std::size_t m_at = 0;
  std::size_t m_line = 1;
};

bool names_target(sv column) {
  return column == "path" || column == "file_id";
}

Result<std::vector<ManifestRow>> read_csv(sv name, sv text) {
  SVC_TRY(rows, CsvReader(name, text).read());
  if (rows.empty()) return usage_error(fmt::format("{} is empty", name));
  const std::vector<std::string>& header = rows.front().cells;
  const auto column = std::find_if(header.begin(), header.end(), names_target);
  if (column == header.end()) {
    return at_line(name, 1, "the header has neither a path nor a file_id column");
  }
  const auto target = static_cast<std::size_t>(column - header.begin());
  std::vector<ManifestRow> all;
  for (std::size_t i = 1; i < rows.size(); ++i) {
    const CsvRow& row = rows[i];
    if (row.cells.size() != header.size()) {
      return at_line(
          name, row.line,
          fmt::format("{} cells, but the header has {}", row.cells.size(), header.size()));
    }
    OrderedJson fields = OrderedJson::object();
    for (std::size_t c = 0; c < header.size(); ++c) {
      if (c != target && !row.cells[c].empty()) fields[header[c]] = row.cells[c];
    }
    if (row.cells[target].empty()) return at_line(name, row.line, "empty path or file_id");
    all.push_back({row.cells[target], compact_json(fields), row.line});
  }
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

Result<std::vector<DocumentFacts>> all_documents(Session& session, ApiClient& client,
                                                 const std::string& collection) {
  const Operation& operation = *find_operation("collections", "documents list");
  SVC_TRY(request, prepare_other(session, operation,
                                 {{DocumentFlags::k_name<"collection-id">, collection}}));
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
      return Error{Fault::Network, "the service returned the same page token twice"};
    }
  }
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
  const Operation& operation = *find_operation("collections", "documents get");
  const std::size_t count = file_ids.size();
  session.progress().start("Waiting for documents", print::ProgressUnit::Items, count);
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
      SVC_TRY(request, prepare_other(session, operation,
                                     {{DocumentFlags::k_name<"collection-id">, collection},
                                      {DocumentFlags::k_name<"file-id">, id}}));
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
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  if (const auto at = first_invalid_utf8(text)) {
    return usage_error(fmt::format("{} is not valid UTF-8 (at byte {})", name, *at + 1),
                       "Save it as UTF-8.");
  }
  return trim(text).starts_with('{') ? read_lines(name, text) : read_csv(name, text);
}

}  // namespace svc::cli
