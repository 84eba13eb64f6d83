#include "batch/csv.h"

#include <algorithm>

namespace svc::batch {
namespace {

/// Reads a quoted cell whose opening quote is at `at`; moves `at` past the cell. Returns false if
/// it is not closed.
bool read_quoted(std::string_view text, std::size_t& at, std::string& cell) {
  for (++at; at < text.size(); ++at) {
    if (text[at] != '"') {
      cell += text[at];
      continue;
    }
    if (at + 1 == text.size() || text[at + 1] != '"') {
      ++at;
      return true;
    }
    cell += '"';
    ++at;
  }
  return false;
}

}  // namespace

CsvRecord parse_csv(std::string_view text, char separator) {
  CsvRecord record;
  std::size_t at = 0;
  while (true) {
    std::string& cell = record.cells.emplace_back();
    if (at < text.size() && text[at] == '"') {
      const std::size_t opened = at;
      if (!read_quoted(text, at, cell)) {
        record.fault = "unterminated double quote in a cell";
        record.column = opened + 1;
        return record;
      }
      if (at < text.size() && text[at] != separator) {
        record.fault = "text after a closing quote";
        record.column = at + 1;
        return record;
      }
    } else {
      const std::size_t end = std::min(text.find(separator, at), text.size());
      cell = text.substr(at, end - at);
      if (const std::size_t quote = cell.find('"'); quote != std::string::npos) {
        record.fault = "double quote inside an unquoted cell";
        record.column = at + quote + 1;
        return record;
      }
      at = end;
    }
    if (at >= text.size()) return record;
    ++at;
  }
}

}  // namespace svc::batch
