// Each function that reads outside bytes has a fuzz target: tests/fuzz/readers lists them.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace fs = std::filesystem;

namespace {

const fs::path k_source_root = SVC_SOURCE_DIR;

std::string text_of(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

struct ListedReader {
  std::string target{};   ///< empty: none, because of `reason`
  std::string through{};  ///< the function that the target's source names instead
  std::string reason{};
};

/// By "HEADER FUNCTION".
std::map<std::string, ListedReader> listed_readers() {
  std::map<std::string, ListedReader> readers;
  std::ifstream in(k_source_root / "tests" / "fuzz" / "readers");
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line.starts_with('#')) continue;
    std::istringstream words(line);
    std::string header;
    std::string function;
    ListedReader reader;
    words >> header >> function >> reader.target;
    if (reader.target == "-") reader.target.clear();
    std::string& rest = reader.target.empty() ? reader.reason : reader.through;
    std::getline(words >> std::ws, rest);
    if (rest.starts_with('(')) rest = rest.substr(1, rest.size() - 2);
    CHECK_MESSAGE(readers.emplace(header + ' ' + function, reader).second, line);
  }
  return readers;
}

/// Functions with a reader's name whose first parameter is text, bytes, a path or JSON.
std::set<std::string> declared_readers() {
  static const std::regex comment(R"(//[^\n]*)");
  static const std::regex declaration(
      R"(\b((?:parse|read|decode|feed|receive|take|load|scan|outline|repair|reformat|check_json|open|)"
      R"(extract|sniff|detect|verify|adopt)(?:_[a-z0-9_]+)?|)"
      R"([a-z0-9]+_decode|mask_secret|name_in_url|(?:[a-z]+_)*(?:header|status)_line|)"
      R"((?:image|entity|split)_text)\(\s*)"
      R"((?:(?:const Field&|AtomicFile&|[A-Za-z]+) \w+,\s*){0,2})"
      R"((?:const std::string&|const (?:std::filesystem|fs)::path&|std::string_view|(?:svc::)?sv|)"
      R"(std::string|const (?:nlohmann::json|Json|Delivery)&|std::span<const [a-z_:0-9]+>)\s+\w)");
  std::set<std::string> found;
  for (const char* top : {"lib", "cli"}) {
    for (const auto& entry : fs::recursive_directory_iterator(k_source_root / top)) {
      if (entry.path().extension() != ".h") continue;
      const std::string text = std::regex_replace(text_of(entry.path()), comment, "");
      const std::string header = fs::relative(entry.path(), k_source_root).string();
      for (std::sregex_iterator it(text.begin(), text.end(), declaration), end; it != end; ++it) {
        found.insert(header + ' ' + (*it)[1].str());
      }
    }
  }
  return found;
}

}  // namespace

TEST_CASE("every reader of outside bytes is listed with its fuzz target, or why it has none") {
  const auto listed = listed_readers();
  const auto declared = declared_readers();
  CHECK(declared.size() > 100);
  for (const std::string& reader : declared) {
    CHECK_MESSAGE(listed.contains(reader), reader, " is not in tests/fuzz/readers");
  }
  for (const auto& [reader, entry] : listed) {
    CHECK_MESSAGE(declared.contains(reader), reader, " does not exist (tests/fuzz/readers)");
    CHECK_MESSAGE((!entry.target.empty() || !entry.reason.empty()), reader, " has no reason");
  }
}

TEST_CASE("every listed fuzz target is built, has a corpus, and runs its reader") {
  const fs::path fuzz = k_source_root / "tests" / "fuzz";
  const std::string build = text_of(k_source_root / "tests" / "CMakeLists.txt");
  std::set<std::string> targets;
  for (const auto& entry : fs::directory_iterator(fuzz)) {
    const std::string name = entry.path().filename().string();
    if (name.ends_with("_fuzz.cpp")) targets.insert(name.substr(0, name.size() - 9));
  }
  for (const std::string& target : targets) {
    CHECK_MESSAGE(
        (std::regex_search(build, std::regex("fuzz\\(" + target + "[ )]")) ||
         std::regex_search(build, std::regex("foreach\\(name [a-z ]*\\b" + target + "\\b"))),
        target, " is not built");
    CHECK_MESSAGE((fs::exists(fuzz / "corpus" / target) && !fs::is_empty(fuzz / "corpus" / target)),
                  target, " has no corpus");
  }
  for (const auto& [reader, entry] : listed_readers()) {
    if (entry.target.empty()) continue;
    REQUIRE_MESSAGE(targets.contains(entry.target), reader, ": no target ", entry.target);
    const std::string function =
        entry.through.empty() ? reader.substr(reader.find(' ') + 1) : entry.through;
    const std::string source = text_of(fuzz / (entry.target + "_fuzz.cpp"));
    CHECK_MESSAGE(std::regex_search(source, std::regex("\\b" + function + "\\b")), reader, ": ",
                  entry.target, " does not call ", function);
  }
}
