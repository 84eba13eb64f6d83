// Files of forms and of JSON bodies: what they must be, and their types.
#include "request/form.h"

#include <array>
#include <filesystem>
#include <utility>

#include <sys/stat.h>

#include "base/base64.h"
#include "catalogue/builders.h"
#include "try.h"
#include "unit/base/child_process.h"

using namespace svc;
using namespace svc::request;

namespace {

namespace rows = catalogue;
using test::TempFile;

constexpr Field k_file = rows::file("file", "F.", rows::form_part, rows::max_bytes(10));
constexpr Field k_unlimited = rows::file("file", "F.", rows::form_part);

/// The part's source and size, its name and its type; or the error.
std::string part_of(const Field& field, const std::string& path, const BuildContext& context = {}) {
  const auto part = form_part(field, path, context);
  if (!part) {
    CHECK(part.error().fault == Fault::Usage);
    return part.error().message;
  }
  const auto& source = std::get<FileSource>(part->content);
  return source.path + " " + std::to_string(source.size) + " " + part->file_name + " " +
         part->content_type;
}

BuildContext piping(const TempFile& file) {
  BuildContext context;
  context.buffer_stdin = [&file]() -> Result<FileSource> {
    return FileSource{file.path, std::filesystem::file_size(file.path)};
  };
  return context;
}

}  // namespace

TEST_CASE("a file of a form, and what it must be") {
  const TempFile ten("0123456789", ".csv");
  const std::string name = std::filesystem::path(ten.path).filename().string();
  CHECK(part_of(k_file, ten.path) == ten.path + " 10 " + name + " text/csv");
  const TempFile eleven("01234567890");
  CHECK(part_of(k_file, eleven.path) ==
        "--file: " + eleven.path + " is too large: 11 B (11 bytes); the limit is 10 B");
  CHECK(part_of(k_unlimited, eleven.path).starts_with(eleven.path + " 11 "));
  const TempFile empty("");
  CHECK(part_of(k_file, empty.path) == "--file: " + empty.path + " is empty");
  CHECK(part_of(k_file, "/tmp") == "--file: /tmp is not a regular file");
  CHECK(part_of(k_file, "/no/such\n") == "--file: no such file: '/no/such^J'");
  CHECK(form_part(k_file, "/no/such", {}).error().hint ==
        "Check the path; relative paths start at the current directory.");
  CHECK(part_of(k_file, "/no/such.csv", {.without_files = true}) ==
        "/no/such.csv 0 such.csv application/octet-stream");
}

TEST_CASE("a file that may not be read is refused before anything is sent") {
  const TempFile closed("0123456789");
  ::chmod(closed.path.c_str(), 0);
  CHECK(test::in_child([&] {
          test::become_nobody();
          const auto part = form_part(k_file, closed.path, {});
          if (part) return 1;
          return part.error().message ==
                         "--file: " + closed.path + " cannot be read: Permission denied"
                     ? 0
                     : 2;
        }) == 0);
}

TEST_CASE("standard input as a file") {
  const TempFile ten("0123456789");
  CHECK(part_of(k_file, "-", piping(ten)) == ten.path + " 10 stdin text/plain");
  CHECK(part_of(k_file, ten.path, piping(ten)).find(" stdin ") == std::string::npos);
  const TempFile eleven("01234567890");
  CHECK(part_of(k_file, "-", piping(eleven)) ==
        "--file: standard input is too large: 11 B (11 bytes); the limit is 10 B");
  CHECK(part_of(k_unlimited, "-", piping(eleven)) == eleven.path + " 11 stdin text/plain");
  const TempFile empty("");
  CHECK(part_of(k_file, "-", piping(empty)) == "--file: standard input is empty");
  // Where there is none, as in a library, it is a file's name.
  CHECK(part_of(k_file, "-") == "--file: no such file: '-'");
}

TEST_CASE("a file as base64") {
  const auto encoded = [](const std::string& path, const BuildContext& context = {}) {
    const auto text = base64_file(k_file, path, context);
    return text ? *base64_decode(*text) : text.error().message;
  };
  const TempFile ten("0123456789");
  CHECK(encoded(ten.path) == "0123456789");
  CHECK(encoded("-", piping(ten)) == "0123456789");
  CHECK(encoded("-") == "--file: no such file: '-'");
  CHECK(encoded("/no/such") == "--file: no such file: '/no/such'");
  CHECK(encoded("/no/such", {.without_files = true}) == "content of /no/such");
}

TEST_CASE("a file of a JSON body is sent as base64") {
  const TempFile chunk(std::string("a\0\xff", 3));
  const test::Attempt upload("files", "upload-chunk", {{"file-id", "f"}, {"chunk", chunk.path}});
  CHECK(upload.body()["chunk"] == "YQD/");
  CHECK(test::Attempt("files", "upload-chunk", {{"file-id", "f"}, {"chunk", "/no/such"}})
            .error()
            .message == "--chunk: no such file: '/no/such'");
}

TEST_CASE("the type of a file: of texts and archives by the ending of its name") {
  const TempFile text("some text");
  const TempFile archive("PK\x03\x04");
  const TempFile picture(test::k_png);
  const std::string zip = "application/zip";
  const std::string office = "application/vnd.openxmlformats-officedocument.";
  for (const auto& [ending, texts, archives] : {
           std::array<std::string, 3>{"csv", "text/csv", zip},
           {"css", "text/css", zip},
           {"htm", "text/html", zip},
           {"html", "text/html", zip},
           {"js", "text/javascript", zip},
           {"json", "application/json", zip},
           {"jsonl", "application/jsonl", zip},
           {"md", "text/markdown", zip},
           {"svg", "image/svg+xml", zip},
           {"tsv", "text/tab-separated-values", zip},
           {"xml", "application/xml", zip},
           {"yaml", "application/yaml", zip},
           {"yml", "application/yaml", zip},
           {"docx", "text/plain", office + "wordprocessingml.document"},
           {"epub", "text/plain", "application/epub+zip"},
           {"odt", "text/plain", "application/vnd.oasis.opendocument.text"},
           {"pptx", "text/plain", office + "presentationml.presentation"},
           {"xlsx", "text/plain", office + "spreadsheetml.sheet"},
           {"zip", "text/plain", zip},
       }) {
    CAPTURE(ending);
    CHECK(file_type(text.path, "a.b." + ending) == texts);
    CHECK(file_type(text.path, "A." + to_upper(ending)) == texts);
    CHECK(file_type(text.path, "a" + ending) == "text/plain");
    CHECK(file_type(archive.path, "a." + ending) == archives);
    CHECK(file_type(picture.path, "a." + ending) == "image/png");
  }
  CHECK(file_type("/no/such/file", "a.csv") == "application/octet-stream");
  const TempFile empty("");
  CHECK(file_type(empty.path, "a.csv") == "application/octet-stream");
  // The first 4 KiB decide.
  const TempFile begins_as_text(std::string(4096, 'a') + '\0');
  CHECK(file_type(begins_as_text.path, "a") == "text/plain");
  const TempFile not_quite(std::string(4095, 'a') + '\0');
  CHECK(file_type(not_quite.path, "a") == "application/octet-stream");
}
