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

/// The array at a dotted path, or null.
const json* array_at(const json& document, sv path) {
  const json* value = &document;
  for (const sv name : split(path, '.')) {
    if (!value->is_object()) return nullptr;
    const auto found = value->find(std::string(name));
    if (found == value->end()) return nullptr;
    value = &*found;
  }
  return value->is_array() ? value : nullptr;
}

Result<void> print_rows(Out& out, const json& rows, std::span<const Column> columns) {
  Table table(out, columns);
  for (const json& row : rows) SVC_CHECK(table.add(row));
  return table.finish();
}

bool has_card(const json& document, std::span<const Column> columns) {
  return std::any_of(columns.begin(), columns.end(), [&](const Column& column) {
    return !cell_text(document, column, Reader::Program).empty();
  });
}

}  // namespace

Result<void> print_card(Out& out, const json& document, std::span<const Column> columns) {
  const bool person = out.terminal().is_tty;
  const Reader reader = person ? Reader::Person : Reader::Program;
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

Result<void> print_sections(Out& out, const json& document, std::span<const Section> sections) {
  bool first = true;
  for (const Section& section : sections) {
    const json* rows = section.items.empty() ? nullptr : array_at(document, section.items);
    const bool shown = section.items.empty() ? has_card(document, section.columns)
                                             : rows != nullptr && !rows->empty();
    if (!shown) continue;
    if (!first) SVC_CHECK(out.write("\n"));
    first = false;
    SVC_CHECK(section.items.empty() ? print_card(out, document, section.columns)
                                    : print_rows(out, *rows, section.columns));
  }
  return {};
}

}  // namespace svc::print
