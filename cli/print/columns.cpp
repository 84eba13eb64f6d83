#include "print/columns.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "catalogue/catalogue.h"

namespace svc::print {
namespace {

enum class Titles : std::uint8_t { Column, Line };

bool is_line(const OpenMember& one) {
  return one.show != Show::Never && (one.member->shape == nullptr || one.member->view);
}

Column column_of(const OpenMember& one, Titles titles) {
  const std::string label = label_of(*one.member);
  const bool many = one.path.find("[]") != std::string::npos;
  return {titles == Titles::Column ? to_upper(label) : label, replace_all(one.path, "[]", ""),
          many && one.member->unit != Unit::Count ? Unit::List : one.member->unit,
          one.show == Show::Details};
}

/// The members of a document, for print_fields(): it prints each by itself, and every one.
std::vector<Column> formats_of(const Operation& operation) {
  std::vector<Column> formats;
  for (const OpenMember& one : open_members(operation.answer)) {
    if (one.member->shape != nullptr) continue;
    formats.push_back({{}, replace_all(one.path, "[]", ""), one.member->unit, false});
  }
  return formats;
}

}  // namespace

std::vector<Column> columns_of(const std::vector<OpenMember>& members) {
  std::vector<Column> columns;
  for (const OpenMember& one : members) {
    if (is_line(one)) columns.push_back(column_of(one, Titles::Column));
  }
  return columns;
}

std::vector<Column> columns_of(const Operation& operation) {
  if (operation.items.empty() || !operation.printed.empty()) {
    return prints_list(operation) ? columns_of(open_members(printed_members(operation)))
                                  : formats_of(operation);
  }
  const sv items = operation.items.substr(0, operation.items.find('|'));
  std::vector<OpenMember> members = open_members(operation.answer, fmt::format("{}[]", items));
  std::string table;  // a table inside an item is not shown in its row
  std::erase_if(members, [&](const OpenMember& one) {
    if (one.member->table) table = one.path + '.';
    return !table.empty() && one.path.starts_with(table);
  });
  return columns_of(members);
}

std::vector<Section> sections_of(std::vector<OpenMember> members, bool details) {
  std::vector<Section> sections;
  const auto section = [&](const std::string& items) -> std::vector<Column>& {
    const auto found = std::ranges::find(sections, items, &Section::items);
    return found != sections.end() ? found->columns
                                   : sections.emplace_back(Section{items, {}}).columns;
  };
  std::string table;  // the path of the table whose members follow
  for (OpenMember& one : members) {
    if (one.member->table) table = one.path + '.';
    const bool inside = !table.empty() && one.path.starts_with(table);
    if (!is_line(one) || (details && one.show == Show::Drawn)) continue;
    if (inside) one.path = path_below(one.path, table);
    Column column = column_of(one, inside ? Titles::Column : Titles::Line);
    column.detail = column.detail && !details;
    section(inside ? replace_all(table.substr(0, table.size() - 1), "[]", "") : std::string())
        .push_back(std::move(column));
  }
  return sections;
}

}  // namespace svc::print
