// What text shows of an answer: the columns of tables and the lines of cards, made from the rows of
// the catalogue.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "catalogue/members.h"

namespace svc::print {

struct Column {
  std::string title;
  std::string path;  ///< for find_path()
  Unit unit = Unit::None;
  bool detail = false;  ///< shown with --verbose only
};

/// A part of the text output of one document: the rows at `items` as a table (collected from all
/// items of arrays along the path), or, if `items` is empty, the columns as `title: value` lines.
struct Section {
  std::string items{};
  std::vector<Column> columns{};
};

/// Returns the columns of a table: a title and a path for each member that text shows.
[[nodiscard]] std::vector<Column> columns_of(const std::vector<OpenMember>& members);

/// Returns the columns of the operation's list, or of its document if it is not a list.
[[nodiscard]] std::vector<Column> columns_of(const Operation& operation);

/// Returns the sections of a document: one for the lines, one for each table, in the order of their
/// first rows. `details`: only what --verbose adds.
[[nodiscard]] std::vector<Section> sections_of(std::vector<OpenMember> members,
                                               bool details = false);

}  // namespace svc::print
