// Checks tests/faults.md: the faults that svc must handle, and their tests.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace fs = std::filesystem;

namespace {

const fs::path k_tests = fs::path(SVC_SOURCE_DIR) / "tests";
/// Rows up to this one must exist; later rows are checked only if they exist.
constexpr int k_rows = 104;

std::string fault_file(const fs::path& path) {
  std::ifstream in(path);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

/// The tests listed by each row.
std::map<int, std::vector<std::string>> fault_rows() {
  std::map<int, std::vector<std::string>> rows;
  std::istringstream in(fault_file(k_tests / "faults.md"));
  for (std::string line; std::getline(in, line);) {
    const int row = line.starts_with("| ") ? std::atoi(line.c_str() + 2) : 0;
    if (row == 0) continue;
    CHECK_MESSAGE(!rows.contains(row), "row ", row, " exists twice");
    std::vector<std::string>& tests = rows[row];
    std::string names = line.substr(line.rfind(" | ") + 3);
    for (std::size_t at = names.find('`'); at != std::string::npos; at = names.find('`', at)) {
      const std::size_t end = names.find('`', at + 1);
      tests.push_back(names.substr(at + 1, end - at - 1));
      at = end + 1;
    }
  }
  return rows;
}

/// The rows that a case refers to in its head or its file name.
std::set<int> rows_of_case(const fs::path& path) {
  std::set<int> rows;
  const std::string name = path.filename().string();
  if (path.parent_path().filename() == "faults") rows.insert(std::atoi(name.c_str()));
  std::istringstream in(fault_file(path));
  for (std::string line; std::getline(in, line) && !line.starts_with("--- ");) {
    if (!line.starts_with("row: ")) continue;
    for (std::size_t i = 5; i < line.size(); ++i) {
      if (std::isdigit(static_cast<unsigned char>(line[i])) == 0) continue;
      rows.insert(std::atoi(line.c_str() + i));
      while (i < line.size() && std::isdigit(static_cast<unsigned char>(line[i])) != 0) ++i;
    }
  }
  return rows;
}

/// Maps case names, such as "faults/001-refused-get", to their rows.
std::map<std::string, std::set<int>> cases_with_rows() {
  std::map<std::string, std::set<int>> cases;
  for (const auto& entry : fs::recursive_directory_iterator(k_tests / "cases")) {
    if (entry.path().extension() != ".case") continue;
    const fs::path name = fs::relative(entry.path(), k_tests / "cases").replace_extension();
    cases[name.string()] = rows_of_case(entry.path());
  }
  return cases;
}

}  // namespace

TEST_CASE("every fault has a test, and every listed test exists") {
  const auto rows = fault_rows();
  const auto cases = cases_with_rows();
  const int last = rows.empty() ? k_rows : std::max(k_rows, rows.rbegin()->first);
  for (int row = 1; row <= last; ++row) {
    if (row > k_rows && !rows.contains(row)) continue;
    const auto found = rows.find(row);
    CHECK_MESSAGE((found != rows.end() && !found->second.empty()), "row ", row, " has no test");
    if (found == rows.end()) continue;
    for (const std::string& test : found->second) {
      CAPTURE(row);
      CAPTURE(test);
      if (test.starts_with("unit/")) {
        CHECK(fs::exists(k_tests / test));
      } else if (test.ends_with('*')) {
        const std::string begin = test.substr(0, test.size() - 1);
        const auto first = cases.lower_bound(begin);
        CHECK((first != cases.end() && first->first.starts_with(begin)));
      } else if (const auto one = cases.find(test); one != cases.end()) {
        CHECK_MESSAGE(one->second.contains(row), "the case does not refer to the row");
      } else {
        CHECK(fs::exists(k_tests / test));
      }
    }
  }
}

TEST_CASE("every case that refers to a fault is listed in its row") {
  const auto rows = fault_rows();
  for (const auto& one : cases_with_rows()) {
    const std::string& name = one.first;
    for (const int row : one.second) {
      const auto found = rows.find(row);
      const bool listed =
          found != rows.end() &&
          std::any_of(found->second.begin(), found->second.end(), [&](const std::string& test) {
            return test == name ||
                   (test.ends_with('*') && name.starts_with(test.substr(0, test.size() - 1)));
          });
      CHECK_MESSAGE(listed, name, " refers to row ", row, ", which does not list it");
    }
  }
}
