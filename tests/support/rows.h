// Expectations that another program has made, as rows of text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/files.h"
#include "base/text.h"

namespace svc::test {

/// The rows of a file below tests/, as cells between tabs, without the first row, which says what
/// the file is; none if it cannot be read.
[[nodiscard]] inline std::vector<std::vector<std::string>> rows_of(const std::string& path) {
  const auto text = read_file(std::string(SVC_SOURCE_DIR) + "/tests/" + path);
  std::vector<std::vector<std::string>> rows;
  if (!text) return rows;
  for (const std::string_view line : split(*text, '\n')) {
    if (line.empty()) continue;  // after the last newline
    const auto cells = split(line, '\t');
    rows.emplace_back(cells.begin(), cells.end());
  }
  rows.erase(rows.begin());
  return rows;
}

}  // namespace svc::test
