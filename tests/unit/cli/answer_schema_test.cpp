// The schema of an answer: how it is read, sent and checked.
#include "conversation/answer_schema.h"

#include <fstream>
#include <string>

#include <doctest/doctest.h>

#include "unit/base/temporary_directory.h"

namespace svc::cli {
namespace {

std::string name_in(const Result<AnswerSchema>& schema) {
  REQUIRE(schema);
  const std::string format = schema->format(View::Response);
  const std::string begin = R"({"type":"json_schema","name":")";
  REQUIRE(format.starts_with(begin));
  return format.substr(begin.size(), format.find('"', begin.size()) - begin.size());
}

}  // namespace

TEST_CASE("the text of an answer is the document") {
  CHECK(answer_document("{\"a\": 1e999}") == "{\"a\": 1e999}");
  CHECK(answer_document("no \"json\"") == R"("no \"json\"")");
}

TEST_CASE("a schema is sent as it is written, in the form of the operation") {
  const auto schema = AnswerSchema::read(R"( {"z": 1.50, "a": {}})");
  REQUIRE(schema);
  const std::string inside = R"("name":"answer","strict":true,"schema": {"z": 1.50, "a": {}})";
  CHECK(schema->format(View::Response) == R"({"type":"json_schema",)" + inside + "}");
  CHECK(schema->format(View::Chat) == R"({"type":"json_schema","json_schema":{)" + inside + "}}");
}

TEST_CASE("a schema's name is its title, or its file's, in the characters of names") {
  const auto titled = [](const std::string& title) {
    return name_in(AnswerSchema::read(R"({"title":")" + title + "\"}"));
  };
  CHECK(titled("My-answer 2!") == "My-answer_2_");
  CHECK(titled("") == "answer");
  CHECK(titled(std::string(64, 'x')) == std::string(64, 'x'));
  CHECK(titled(std::string(65, 'x')) == std::string(64, 'x'));
  const test::TemporaryDirectory directory;
  const std::string path = directory.file("what.v2.json");
  std::ofstream(path) << "\xEF\xBB\xBF{}";
  CHECK(name_in(AnswerSchema::read(path)) == "what_v2");
  CHECK(name_in(AnswerSchema::read("@" + path)) == "what_v2");
  CHECK(AnswerSchema::read(path)->format(View::Response).ends_with("\"schema\":{}}"));
}

TEST_CASE("what is no schema is refused, with its place") {
  const auto message = [](const std::string& given) {
    const auto schema = AnswerSchema::read(given);
    REQUIRE_FALSE(schema);
    return std::string(fault_name(schema.error().fault)) + ": " + schema.error().message;
  };
  CHECK(message("{").starts_with("usage: --schema: the schema is not JSON: "));
  CHECK(message(R"({"type":"nothing"})").starts_with("usage: --schema: the schema: "));
  CHECK(message("/nowhere.json").find(": --schema: ") != std::string::npos);
  const test::TemporaryDirectory directory;
  const std::string path = directory.file("list");
  std::ofstream(path) << "[]";
  CHECK(message(path) ==
        "usage: --schema: '" + path + "' is not a JSON object, as a schema must be");
}

TEST_CASE("an answer that does not match is told with the place in it") {
  const auto schema = AnswerSchema::read(R"({"type":"object","required":["a"],)"
                                         R"("properties":{"a":{"type":"string"}}})");
  REQUIRE(schema);
  CHECK_FALSE(schema->check(R"({"a":"x"})"));
  const auto said = [&](const char* answer) {
    const auto error = schema->check(answer);
    REQUIRE(error);
    CHECK(error->fault == Fault::RemoteJob);
    return error->message;
  };
  CHECK(said("text").starts_with("the answer is not JSON, as the schema requires: "));
  CHECK(said("[]").starts_with("the answer does not match the schema: as a whole: "));
  CHECK(said(R"({"a":1})").starts_with("the answer does not match the schema: "));
  CHECK(said(R"({"a":1})").find("as a whole") == std::string::npos);
}

}  // namespace svc::cli
