// Extracting the JSON document in an answer that a schema is checked against.
#include "conversation/answer_schema.h"

#include <doctest/doctest.h>

namespace svc::cli {
namespace {

TEST_CASE("the text of an answer is the document") {
  CHECK(answer_document("{\"a\": 1e999}") == "{\"a\": 1e999}");
  CHECK(answer_document("no \"json\"") == R"("no \"json\"")");
}

}  // namespace
}  // namespace svc::cli
