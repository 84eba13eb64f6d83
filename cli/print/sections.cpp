#include "print/sections.h"

#include <algorithm>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/text.h"
#include "print/table.h"
#include "print/width.h"

namespace svc::print {
namespace {

using nlohmann::json;

/// The rows at a path: the items of its arrays.
std::vector<const json*> rows_at(const json& document, sv path) {
  std::vector<const json*> rows;
  for (const json* list : find_all(document, path)) {
    if (!list->is_array()) continue;
    for (const json& row : *list) rows.push_back(&row);
  }
  return rows;
}

Result<void> print_rows(Out& out, const std::vector<const json*>& rows,
                        std::span<const Column> columns, bool details, bool log) {
  Table table(out, columns, {.details = details, .log = log});
  for (const json* row : rows) SVC_CHECK(table.add(*row));
  return table.finish();
}

bool has_card(const json& document, std::span<const Column> columns) {
  return std::any_of(columns.begin(), columns.end(), [&](const Column& column) {
    return !cell_text(document, column, Reader::Program).empty();
  });
}

}  // namespace

Result<void> print_card(Out& out, const json& document, std::span<const Column> columns, bool log) {
  const bool person = out.terminal().is_tty;
  const Reader reader = log ? Reader::Log : person ? Reader::Person : Reader::Program;
  std::size_t widest = 0;
  for (const Column& column : columns) {
    if (!cell_text(document, column, reader).empty()) {
      widest = std::max(widest, display_width(column.title));
    }
  }
  for (const Column& column : columns) {
    std::string value = cell_text(document, column, reader);
    if (value.empty()) continue;
    std::string line(column.title);
    line += ':';
    line.append(person ? widest - display_width(column.title) + 1 : 1, ' ');
    value = person ? visible(value, Lines::Escape) : replace_all(std::move(value), "\n", "\\n");
    SVC_CHECK(out.write(line + value + "\n"));
  }
  return {};
}

Result<void> print_sections(Out& out, const json& document, std::span<const Section> sections,
                            bool details, bool log) {
  bool first = true;
  for (const Section& section : sections) {
    std::vector<Column> columns(section.columns.begin(), section.columns.end());
    if (!details) std::erase_if(columns, [](const Column& column) { return column.detail; });
    const bool card = section.items.empty();
    const auto rows = card ? std::vector<const json*>() : rows_at(document, section.items);
    if (card ? !has_card(document, columns) : rows.empty()) continue;
    if (!first) SVC_CHECK(out.write("\n"));
    first = false;
    SVC_CHECK(card ? print_card(out, document, columns, log)
                   : print_rows(out, rows, columns, details, log));
  }
  return {};
}

}  // namespace svc::print
