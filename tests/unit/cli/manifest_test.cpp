#include <doctest/doctest.h>

#include "commands/collections/documents.h"

using namespace svc;
using namespace svc::cli;

namespace {

std::string fault_of(const char* text) {
  const auto rows = read_manifest("m", text);
  REQUIRE_FALSE(rows.has_value());
  CHECK(rows.error().fault == Fault::Usage);
  return rows.error().message;
}

}  // namespace

TEST_CASE("CSV: quotes, commas and line breaks in cells, CRLF, a byte order mark") {
  const auto rows = read_manifest(
      "m", "\xEF\xBB\xBFpath,author,note\r\na.txt,Ann,\"x, \"\"y\"\"\nz\"\r\n\r\nb.txt,,\r\n");
  REQUIRE(rows.has_value());
  REQUIRE(rows->size() == 2);
  CHECK((*rows)[0].target == "a.txt");
  CHECK((*rows)[0].fields == R"({"author":"Ann","note":"x, \"y\"\nz"})");
  CHECK((*rows)[1].target == "b.txt");
  CHECK((*rows)[1].fields == "{}");
  CHECK((*rows)[1].line == 5);
}

TEST_CASE("JSON Lines keep the types of their values") {
  const auto rows =
      read_manifest("m", "{\"file_id\":\"file_1\",\"year\":2020}\n\n{\"path\":\"b\"}");
  REQUIRE(rows.has_value());
  REQUIRE(rows->size() == 2);
  CHECK((*rows)[0].fields == R"({"year":2020})");
  CHECK((*rows)[1].line == 3);
}

TEST_CASE("the column and the member that name a file; the other is a value like any") {
  const auto csv = read_manifest("m", "author,file_id,path\nAnn,file_1,a.txt\n,b,\n");
  REQUIRE(csv.has_value());
  REQUIRE(csv->size() == 2);
  CHECK((*csv)[0].target == "file_1");
  CHECK((*csv)[0].fields == R"({"author":"Ann","path":"a.txt"})");
  CHECK((*csv)[0].line == 2);
  CHECK((*csv)[1].target == "b");
  CHECK((*csv)[1].fields == "{}");
  const auto json = read_manifest("m",
                                  " {\"file_id\":\"f\",\"path\":\"a\"}\n"
                                  "{\"path\":7,\"file_id\":\"g\"}\r\n");
  REQUIRE(json.has_value());
  REQUIRE(json->size() == 2);
  CHECK((*json)[0].target == "a");
  CHECK((*json)[0].fields == R"({"file_id":"f"})");
  CHECK((*json)[1].target == "g");
  CHECK((*json)[1].fields == R"({"path":7})");
}

TEST_CASE("errors are reported with their line") {
  CHECK(fault_of("") == "m is empty");
  CHECK(fault_of("name,author\n") ==
        "m, line 1: the header has neither a path nor a file_id column");
  CHECK(fault_of("path,a\nx\n") == "m, line 2: 1 cells in this row, 2 in the header");
  CHECK(fault_of("path,a\n,1\n") == "m, line 2: empty path or file_id");
  CHECK(fault_of("path\n\"x\n") == "m, line 2: unterminated double quote in a cell");
  CHECK(fault_of("path\n\"x\"y\n") == "m, line 2: text after a closing quote");
  CHECK(fault_of("{\"path\":1}\n") == "m, line 1: missing path or file_id");
  CHECK(fault_of("{\"path\":\"a\"}\n{x\n").starts_with("m, line 2 is not valid JSON"));
  CHECK(fault_of("{\"path\":\"a\"}\n[\"a\"]") == "m, line 2: missing path or file_id");
  CHECK(fault_of("{\"path\":\"\"}") == "m, line 1: missing path or file_id");
  CHECK(fault_of("path\n\xff\n") == "m is not valid UTF-8 (at byte 6)");
  CHECK(fault_of("\xEF\xBB\xBFpath\n\xff\n") == "m is not valid UTF-8 (at byte 9)");
}

TEST_CASE("states of documents: ready, failed, and everything else in progress") {
  CHECK(read_document(R"({"status":"DOCUMENT_STATUS_PROCESSED"})").state == DocumentState::Ready);
  CHECK(read_document(R"({"status":"DOCUMENT_STATUS_FAILED"})").state == DocumentState::Failed);
  for (const char* text : {R"({"status":"DOCUMENT_STATUS_WRITING"})", R"({"status":null})", "{}",
                           "null", R"({"file_metadata":7})"}) {
    CHECK(read_document(text).state == DocumentState::Working);
  }
  const DocumentFacts facts =
      read_document(R"({"file_metadata":{"file_id":"f","hash":"AB"},"error_message":"why"})");
  CHECK(facts.file_id == "f");
  CHECK(facts.hash == "ab");
  CHECK(facts.error == "why");
}
