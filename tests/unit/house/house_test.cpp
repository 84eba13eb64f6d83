// Rules for the source tree that the compiler does not enforce.
#include <algorithm>
#include <array>
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

const fs::path k_root = SVC_SOURCE_DIR;

struct Source {
  std::string path;  // relative to the root
  std::vector<std::string> includes;
};

std::vector<Source> sources() {
  std::vector<Source> found;
  for (const char* top : {"lib", "cli", "tests"}) {
    for (const auto& entry : fs::recursive_directory_iterator(k_root / top)) {
      const auto extension = entry.path().extension();
      if (extension != ".cpp" && extension != ".h") continue;
      Source source{fs::relative(entry.path(), k_root).string(), {}};
      std::ifstream in(entry.path());
      for (std::string line; std::getline(in, line);) {
        if (!line.starts_with("#include ")) continue;
        const auto begin = line.find_first_of("<\"");
        const auto end = line.find_first_of(">\"", begin + 1);
        source.includes.push_back(line.substr(begin + 1, end - begin - 1));
      }
      found.push_back(std::move(source));
    }
  }
  return found;
}

std::set<std::string> who_includes(const std::string& prefix, bool headers_only = false) {
  std::set<std::string> files;
  for (const Source& source : sources()) {
    if (source.path.starts_with("tests/")) continue;
    if (headers_only && !source.path.ends_with(".h")) continue;
    for (const std::string& include : source.includes) {
      if (include.starts_with(prefix)) files.insert(source.path);
    }
  }
  return files;
}

std::string module_of(const std::string& path) {
  if (!path.starts_with("lib/")) return {};
  return path.substr(4, path.find('/', 4) - 4);
}

/// The modules that each module of lib may include.
const std::map<std::string, std::set<std::string>> k_below = {
    {"base", {}},
    {"json", {"base"}},
    {"catalogue", {}},
    {"database", {"base"}},
    {"history", {"base", "json", "database"}},
    {"request", {"base", "json", "catalogue"}},
    {"http", {"base"}},
    {"websocket", {"base", "http"}},
    {"client", {"base", "json", "catalogue", "request", "http"}},
    {"batch", {"base", "json", "catalogue", "database", "request", "http", "client"}},
    {"audio", {"base"}},
    {"webhook", {"base"}},
    {"voice", {"base", "json", "http", "websocket", "audio"}},
    {"mcp", {"base", "json", "http"}},
    {"svc",
     {"base", "json", "catalogue", "database", "request", "http", "websocket", "client", "batch",
      "webhook", "audio", "voice"}},
    {"emulator", {"base", "json", "database", "audio"}},
};

/// The directories of cli, each of which may include those before it.
const std::vector<std::string> k_rooms = {"print",    "docgen",       "command_line",
                                          "terminal", "session",      "operation",
                                          "live",     "conversation", "commands"};

/// The lines of the tree in ARCHITECTURE.md, without their explanations: the names on each line.
std::vector<std::vector<std::string>> architecture_tree() {
  std::ifstream in(k_root / ".github" / "ARCHITECTURE.md");
  std::vector<std::vector<std::string>> tree;
  for (std::string line; std::getline(in, line);) {
    if (tree.empty() && !line.starts_with("cli/  ")) continue;
    if (line.starts_with("```")) break;
    std::istringstream names(line.substr(6, line.find("  ", 6) - 6));
    std::vector<std::string>& row = tree.emplace_back();
    for (std::string name; names >> name;) row.push_back(name);
  }
  return tree;
}

}  // namespace

TEST_CASE("expensive headers are included only where allowed") {
  CHECK(who_includes("nlohmann/json.hpp", true).empty());
  CHECK(who_includes("curl/").size() <= 2);
  // The tool and the emulator are two programs.
  CHECK(who_includes("CLI/") ==
        std::set<std::string>{"cli/command_line/flags.cpp", "lib/emulator/server/options.cpp"});
  CHECK(who_includes("portaudio.h").size() <= 1);
  CHECK(who_includes("jq.h").size() <= 1);
  CHECK(who_includes("sqlite3.h").size() <= 1);
}

TEST_CASE("modules include only the modules below them") {
  for (const Source& source : sources()) {
    const std::string module = module_of(source.path);
    if (module.empty()) continue;
    REQUIRE_MESSAGE(k_below.contains(module), source.path);
    for (const std::string& include : source.includes) {
      const std::string other = include.substr(0, include.find('/'));
      if (other == include || other == module || !k_below.contains(other)) continue;
      CHECK_MESSAGE(k_below.at(module).contains(other), source.path << " includes " << include);
    }
  }
}

TEST_CASE("each room of cli includes only those listed before it") {
  const auto place = [&](const std::string& name) {
    return std::find(k_rooms.begin(), k_rooms.end(), name) - k_rooms.begin();
  };
  const auto last = place("");
  for (const Source& source : sources()) {
    if (!source.path.starts_with("cli/")) continue;
    const std::string inside = source.path.substr(4);
    const std::string room = inside.substr(0, inside.find('/'));
    if (room == inside) {
      CHECK_MESSAGE((room == "main.cpp" || room.starts_with("app.")), source.path, " has no room");
      continue;
    }
    REQUIRE_MESSAGE(place(room) != last, source.path);
    for (const std::string& include : source.includes) {
      const auto other = place(include.substr(0, include.find('/')));
      if (other != last)
        CHECK_MESSAGE(other <= place(room), source.path << " includes " << include);
    }
  }
}

TEST_CASE("ARCHITECTURE.md shows every module, above those that it includes") {
  const auto tree = architecture_tree();
  REQUIRE(tree.size() > 1);
  CHECK(tree.front() == k_rooms);
  std::map<std::string, std::size_t> row_of;
  for (std::size_t row = 1; row < tree.size(); ++row) {
    for (const std::string& name : tree[row]) {
      CHECK_MESSAGE(k_below.contains(name), "ARCHITECTURE.md shows lib/", name,
                    ", which does not exist");
      CHECK_MESSAGE(row_of.emplace(name, row).second, "ARCHITECTURE.md shows lib/", name, " twice");
    }
  }
  for (const auto& [module, includes] : k_below) {
    REQUIRE_MESSAGE(row_of.contains(module), "ARCHITECTURE.md omits lib/", module);
    CHECK_MESSAGE(fs::is_directory(k_root / "lib" / module), module);
    for (const std::string& other : includes) {
      CHECK_MESSAGE(row_of.at(module) <= row_of.at(other), module, " is shown below ", other);
    }
  }
}

TEST_CASE("each directory of the emulator includes only those listed before it") {
  const std::vector<std::string> directories = {
      "handler",  "json",       "control",    "state",        "account",     "sound",
      "picture",  "model",      "api/filter", "api/files",    "api/media",   "api/collections",
      "api/text", "api/keys",   "api/phone",  "api/realtime", "api/account", "api/billing",
      "api/docs", "api/images", "api/videos", "api/batches",  "api/legacy",  "api/stt",
      "api/tts",  "api",        "server"};
  const auto place = [&](const std::string& path) {
    return std::find(directories.begin(), directories.end(), path.substr(0, path.rfind('/'))) -
           directories.begin();
  };
  const std::string top = "lib/emulator/";
  for (const Source& source : sources()) {
    if (!source.path.starts_with(top) || source.path == top + "main.cpp") continue;
    const auto own = place(source.path.substr(top.size()));
    REQUIRE_MESSAGE(own != place("/"), source.path);
    for (const std::string& include : source.includes) {
      if (!include.starts_with("emulator/")) continue;
      CHECK_MESSAGE(place(include.substr(9)) <= own, source.path << " includes " << include);
    }
  }
}

TEST_CASE("catalogue tables are in named namespaces") {
  // GCC 14 gives template instances from unnamed namespaces symbols that the linker merges across
  // sources.
  for (const auto& entry : fs::directory_iterator(k_root / "lib/catalogue")) {
    CAPTURE(entry.path().string());
    std::ifstream in(entry.path());
    for (std::string line; std::getline(in, line);) CHECK(line != "namespace {");
  }
}

TEST_CASE("the top level contains only the listed files and directories") {
  const std::set<std::string> plan = {"CMakeLists.txt",
                                      "CMakePresets.json",
                                      "LICENSE",
                                      "README.md",
                                      "cli",
                                      "lib",
                                      "completions",
                                      "tests",
                                      "man"};
  for (const auto& entry : fs::directory_iterator(k_root)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with('.') || name.starts_with("build")) continue;
    CHECK_MESSAGE(plan.contains(name), name);
  }
}

TEST_CASE("only listed sources read the environment") {
  for (const Source& source : sources()) {
    if (!source.path.starts_with("lib/")) continue;
    std::ifstream in(k_root / source.path);
    std::stringstream text;
    text << in.rdbuf();
    // The environment is passed as a value (client/settings.h); only the base directories, the
    // emulator's options and the libcurl wrapper (for proxies and certificate files) read it.
    if (text.str().find("getenv(") == std::string::npos) continue;
    const std::set<std::string> allowed = {"lib/base/files.cpp", "lib/client/settings.cpp",
                                           "lib/http/curl_exchange.cpp",
                                           "lib/emulator/server/options.cpp"};
    CHECK_MESSAGE(allowed.contains(source.path), source.path);
  }
}

TEST_CASE("calls that only one system has stand behind base/platform.h and wake.h") {
  constexpr std::array calls = {"epoll_",  "eventfd",   "timerfd_",       "signalfd",  "pidfd_",
                                "prctl(",  "pipe2(",    "accept4(",       "renameat2", "memrchr(",
                                "kqueue(", "kevent",    "F_SETNOSIGPIPE", "O_TMPFILE", "/proc/",
                                ".so.",    "closefrom", ".dylib"};
  // They show a name, or recognise such a path if the user gives it; the emulator is for Linux.
  const std::set<std::string> allowed = {"cli/docgen/library_page.cpp", "lib/base/write_target.cpp",
                                         "lib/emulator/server/serve.cpp"};
  const std::regex platform(R"(^lib/base/\w+_(?:linux|macos|kqueue)\.cpp$)");
  for (const Source& source : sources()) {
    if (source.path.starts_with("tests/") || allowed.contains(source.path) ||
        std::regex_search(source.path, platform))
      continue;
    std::ifstream in(k_root / source.path);
    for (std::string line; std::getline(in, line);) {
      line.resize(std::min(line.size(), line.find("// ")));
      for (const char* call : calls) {
        if (line.find(call) != std::string::npos) FAIL_CHECK(source.path, ": ", line);
      }
    }
  }
}

TEST_CASE("no code compares the words of an error, a hint or a setting's source") {
  // An error has a cause and a setting an origin for that.
  const std::string words = R"((?:\.|->)(?:message|hint|source\(\)))";
  const std::regex compares(
      words + R"(\s*(?:==|!=|(?:\.|->)(?:\w*find\w*|starts_with|ends_with|contains|compare)\())" +
      "|" + R"((?:==|!=)\s*[\w:.>()*\[\]-]*)" + words + R"((?![\w(]))" + "|" +
      R"((?:ignore_case|mentions|contains|find|search|match)\w*\([^;]*)" + words + R"((?![\w(]))");
  const auto found = [&](const std::string& line) { return std::regex_search(line, compares); };
  for (const char* line :
       {R"(if (error.message.starts_with("no")) return;)", "if (a.hint == b->hint) {",
        R"(return failed->message.find("x") != npos;)", R"(x = error().hint.ends_with('.');)",
        R"(contains_ignore_case(result.error().message, "locked"))",
        R"(if (setting.source() == "built in"))", "if (text != error.message) {",
        R"(found = setting.source().starts_with("flag ");)"}) {
    CAPTURE(line);
    CHECK(found(line));
  }
  for (const char* line :
       {R"(error.message = fmt::format("{}: {}", name, error.message);)",
        "if (error.hint.empty()) {", "return Error{fault, read.error().message};",
        "const bool same = event == message.type;"}) {
    CAPTURE(line);
    CHECK_FALSE(found(line));
  }
  for (const Source& source : sources()) {
    if (source.path.starts_with("tests/") || source.path.starts_with("lib/emulator/")) continue;
    std::ifstream in(k_root / source.path);
    int number = 0;
    for (std::string line; std::getline(in, line);) {
      ++number;
      if (line.find("message") == std::string::npos && line.find("hint") == std::string::npos &&
          line.find("source()") == std::string::npos) {
        continue;
      }
      CHECK_MESSAGE(!found(line), source.path << ":" << number << ": " << line);
    }
  }
}

TEST_CASE("functions stay below 60 lines") {
  // clang-format puts the end of a body below the first letter of its function.
  const std::regex other(
      R"( *(?:\}|(?:return|namespace|class|struct|enum|union|template<|using|extern)\b).*)");
  std::size_t functions = 0;
  for (const Source& source : sources()) {
    if (source.path.starts_with("tests/")) continue;
    std::ifstream in(k_root / source.path);
    std::vector<std::string> lines;
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    std::size_t head = 0;  // the first line of the current declaration
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const std::string& line = lines[i];
      const std::size_t text = line.find_first_not_of(' ');
      if (line.ends_with('{') && line.find(')') != std::string::npos &&
          !std::regex_match(lines[head], other)) {
        const std::string end = lines[head].substr(0, lines[head].find_first_not_of(' ')) + '}';
        const std::size_t begin = i + 1;
        for (++i; i < lines.size() && !lines[i].starts_with(end);) ++i;
        CHECK_MESSAGE(i - begin < 60, source.path, ":", head + 1, " has ", i - begin, " lines");
        ++functions;
        head = i + 1;
      } else if (text == std::string::npos || line.compare(text, 2, "//") == 0 || line[0] == '#' ||
                 std::string(";{}:").find(line.back()) != std::string::npos) {
        head = i + 1;
      }
    }
  }
  CHECK(functions > 5000);
}
