#include "commands/collections/manifest.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "json/document.h"
#include "request/convert.h"

namespace svc::cli {
namespace {

Error at_line(sv name, std::size_t line, sv what) {
  return usage_error(fmt::format("{}, line {}: {}", name, line, what));
}

struct CsvRow {
  std::vector<std::string> cells{};
  std::size_t line = 1;
};

/// RFC 4180.
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
    return at_line(m_name, begin, "a quote does not close");
  }

  Result<std::string> after_quote(std::string cell) {
    const bool ends = m_at == m_text.size() || sv(",\r\n").find(m_text[m_at]) != sv::npos;
    if (ends) return cell;
    return at_line(m_name, m_line, "there is text behind a closing quote");
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
    return at_line(name, 1, "the header names neither a column path nor a column file_id");
  }
  const auto target = static_cast<std::size_t>(column - header.begin());
  std::vector<ManifestRow> all;
  for (std::size_t i = 1; i < rows.size(); ++i) {
    const CsvRow& row = rows[i];
    if (row.cells.size() != header.size()) {
      return at_line(
          name, row.line,
          fmt::format("there are {} cells, the header has {}", row.cells.size(), header.size()));
    }
    OrderedJson fields = OrderedJson::object();
    for (std::size_t c = 0; c < header.size(); ++c) {
      if (c != target && !row.cells[c].empty()) fields[header[c]] = row.cells[c];
    }
    if (row.cells[target].empty()) return at_line(name, row.line, "no document is named");
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
    if (target.empty()) return at_line(name, number, "neither path nor file_id names a document");
    all.push_back({std::move(target), compact_json(object), number});
  }
  return all;
}

}  // namespace

Result<std::vector<ManifestRow>> read_manifest(std::string_view name, std::string_view text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  if (const auto at = first_invalid_utf8(text)) {
    return usage_error(fmt::format("{} is not UTF-8 text: the fault is at byte {}", name, *at + 1),
                       "Save it as UTF-8.");
  }
  return trim(text).starts_with('{') ? read_lines(name, text) : read_csv(name, text);
}

}  // namespace svc::cli
