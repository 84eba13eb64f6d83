// The JSON document inside of an answer that a schema is held against.
#include "conversation/answer_schema.h"

#include <doctest/doctest.h>

namespace svc::cli {
namespace {

TEST_CASE("the text of an answer stands for itself") {
  CHECK(answer_document("{\"a\": 1e999}") == "{\"a\": 1e999}");
  CHECK(answer_document("no \"json\"") == R"("no \"json\"")");
}

}  // namespace
}  // namespace svc::cli
