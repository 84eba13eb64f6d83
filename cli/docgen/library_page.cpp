#include "docgen/library_page.h"

#include <array>

#include <fmt/format.h>

#include "base/files.h"
#include "base/text.h"
#include "docgen/roff.h"

namespace svc::docgen {
namespace {

namespace fs = std::filesystem;

struct Listing {
  sv file;   ///< without its ending
  sv title;  ///< of the example or the header
};

constexpr std::array k_examples = {
    Listing{"chat", "Ask"},
    Listing{"stream", "Stream"},
    Listing{"tool_call", "Let the model call a function"},
    Listing{"upload_and_ask", "Upload a file and ask about it"},
    Listing{"speak", "Speak"},
    Listing{"transcribe", "Transcribe"},
    Listing{"voice", "Speak, and transcribe live"},
    Listing{"batch", "Send a batch"},
};

/// In the order in which one reads them.
constexpr std::array k_headers = {
    Listing{"client", "The client"},
    Listing{"options", "Options"},
    Listing{"result", "Results and errors"},
    Listing{"text", "Chat and responses"},
    Listing{"media", "Images and videos"},
    Listing{"files", "Files and search"},
    Listing{"batch", "Batches"},
    Listing{"voice", "Voice"},
    Listing{"webhook", "Webhooks"},
};

constexpr std::array<sv, 6> k_paragraphs = {
    "libsvc calls every operation of the service from C++20 (GCC 12, clang 14 or later). It shares "
    "with the program svc the checks before anything is sent, the retries, which never repeat a "
    "request that may have been billed, and the error messages.",
    "One header, <svc/svc.h>, has everything, in the namespace svc. svc::Client::open() uses the "
    "environment and the user's default profile, as svc does; svc::Client::open(options) uses only "
    "what the options say. A client can be used by any number of threads at once.",
    "Typed calls such as chat() take what is common as members and every other flag of the command "
    "in `flags`. Client::call() makes any other request by the names in svc-commands(7). An "
    "unknown "
    "operation, flag or value is Fault::Usage, with the nearest name as the hint; nothing is sent "
    "then. Answers have the usual members, and the whole document as JSON.",
    "Errors are values: every call returns svc::Result. Exceptions are bugs, except those of your "
    "own "
    "callbacks, which end the call and reach you. The library prints nothing, handles no signals "
    "and "
    "has no global state. Cancel calls with svc::Cancellation, or by returning false from a "
    "callback.",
    "The shared library needs libcurl (libcurl.so.4) at run time. With CMake: find_package(svc), "
    "and "
    "link svc::svc. With the static library: find_package(svc COMPONENTS static) and svc::static, "
    "or "
    "`pkg-config --static`; it needs the development packages of fmt, SQLite, OpenSSL and wslay.",
    "The symbols are in the namespace svc::v0, whose number is that of the SONAME: a program built "
    "against one never runs with another.",
};

/// What a header declares: without its guard, its includes and its namespace.
std::string declarations(sv text) {
  std::string shown;
  for (const sv line : split(text, '\n')) {
    if (line.starts_with("#") || line.starts_with("namespace") ||
        line.starts_with("}  // namesp")) {
      continue;
    }
    if (line.empty() && (shown.empty() || shown.ends_with("\n\n"))) continue;
    shown += fmt::format("{}\n", line);
  }
  while (shown.ends_with('\n')) shown.pop_back();
  return shown;
}

}  // namespace

Result<std::string> library_man(const fs::path& source, sv date, sv version) {
  RoffPage page("SVC-LIBRARY", date, version, 3);
  page.section("NAME");
  page.name("svc-library", "C++ client library for a hosted AI service");
  page.section("SYNOPSIS");
  page.command(
      "#include <svc/svc.h>\n\n"
      "c++ -std=c++20 program.cpp $(pkg-config --cflags --libs svc)\n\n"
      "find_package(svc REQUIRED)\n"
      "target_link_libraries(program svc::svc)");
  page.section("DESCRIPTION");
  for (const sv text : k_paragraphs) page.paragraph(text);
  page.section("EXAMPLES");
  page.paragraph(
      "Each is a whole program. Without a key, try them with an emulator: `svc-emulator` prints "
      "the "
      "variables to set.");
  for (const Listing& one : k_examples) {
    const fs::path path = source / "tests/consumer/examples" / fmt::format("{}.cpp", one.file);
    SVC_TRY(text, read_file(path.string()));
    page.subsection(one.title);
    page.command(trim(text));
  }
  page.section("REFERENCE");
  for (const Listing& one : k_headers) {
    const fs::path path = source / "lib/svc" / fmt::format("{}.h", one.file);
    SVC_TRY(text, read_file(path.string()));
    page.subsection(one.title);
    page.command(declarations(text));
  }
  page.section("SEE ALSO");
  page.paragraph("svc(1), svc-commands(7), svc-config(5), svc-environment(7), svc-emulator(1)");
  return page.take();
}

}  // namespace svc::docgen
