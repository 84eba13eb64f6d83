// JSON Schema: what fits, and the place that does not.
#include "json/schema.h"

#include <array>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

namespace svc {
namespace {

using nlohmann::json;

struct Row {
  const char* schema;
  const char* value;
  const char* where;  ///< "fits", or the place
};

std::string place_of(const char* schema, const char* value) {
  const auto read = JsonSchema::read(json::parse(schema));
  if (!read) return read.error().message;
  const auto fault = read->check(json::parse(value));
  return fault ? fault->where : "fits";
}

constexpr std::array k_rows = {
    Row{"true", "1", "fits"}, Row{"false", "1", ""}, Row{R"({"type":"integer"})", "1.0", "fits"},
    Row{R"({"type":"integer"})", "1.5", ""}, Row{R"({"type":["string","null"]})", "null", "fits"},
    Row{R"({"enum":[1,"a",{"b":2}]})", R"({"b":2.0})", "fits"}, Row{R"({"const":false})", "0", ""},
    Row{R"({"multipleOf":0.1})", "0.3", "fits"}, Row{R"({"multipleOf":2})", "3", ""},
    Row{R"({"exclusiveMinimum":1,"maximum":2})", "1", ""},
    Row{R"({"maxLength":2})", R"("éé")", "fits"}, Row{R"({"minLength":3})", R"("éé")", ""},
    Row{R"({"pattern":"^\\d+$"})", R"("12")", "fits"},
    Row{R"({"pattern":"^\\d+$"})", R"("1\n2")", ""}, Row{R"({"required":["a"]})", R"({"b":1})", ""},
    Row{R"({"properties":{"a":{"type":"string"}}})", R"({"a":1})", "/a"},
    Row{R"({"properties":{"a/b~":{"type":"string"}}})", R"({"a/b~":1})", "/a~1b~0"},
    Row{R"({"properties":{"a":true},"additionalProperties":false})", R"({"a":1,"c":2})", "/c"},
    Row{R"({"patternProperties":{"^x":{"type":"number"}}})", R"({"xa":"1"})", "/xa"},
    Row{R"({"propertyNames":{"maxLength":1}})", R"({"ab":1})", "/ab"},
    Row{R"({"dependentRequired":{"a":["b"]}})", R"({"a":1})", ""},
    Row{R"({"dependentSchemas":{"a":{"required":["b"]}}})", R"({"c":1})", "fits"},
    Row{R"({"prefixItems":[{"type":"string"}],"items":false})", R"(["a"])", "fits"},
    Row{R"({"prefixItems":[{"type":"string"}],"items":false})", R"(["a",1])", "/1"},
    Row{R"({"items":{"type":"number"}})", R"([1,[2]])", "/1"},
    Row{R"({"contains":{"const":1},"minContains":2})", "[1,2]", ""},
    Row{R"({"contains":{"const":1},"maxContains":1})", "[1,1]", ""},
    Row{R"({"contains":{"const":1},"minContains":0})", "[]", "fits"},
    Row{R"({"uniqueItems":true})", R"([{"a":1},{"a":1.0}])", ""},
    Row{R"({"anyOf":[{"type":"string"},{"properties":{"a":{"type":"string"}}}]})", R"({"a":1})",
        "/a"},
    Row{R"({"oneOf":[{"type":"number"},{"minimum":2}]})", "3", ""},
    Row{R"({"oneOf":[{"type":"number"},{"minimum":2}]})", "1", "fits"},
    Row{R"({"not":{"type":"null"}})", "null", ""},
    Row{R"({"if":{"required":["a"]},"then":{"required":["b"]}})", R"({"a":1})", ""},
    Row{R"({"if":{"required":["a"]},"then":{"required":["b"]}})", R"({})", "fits"},
    // Beside a reference other keywords count.
    Row{R"({"$ref":"#/$defs/n","maximum":3,"$defs":{"n":{"type":"number"}}})", "4", ""},
    Row{R"({"$ref":"#n","$defs":{"x":{"$anchor":"n","type":"number"}}})", R"("4")", ""},
    Row{R"({"properties":{"next":{"$ref":"#"}},"additionalProperties":false})",
        R"({"next":{"next":{"bad":1}}})", "/next/next/bad"},
    Row{R"({"allOf":[{"properties":{"a":true}}],"unevaluatedProperties":false})",
        R"({"a":1,"b":2})", "/b"},
    Row{R"({"anyOf":[{"prefixItems":[true]},{"type":"null"}],"unevaluatedItems":false})", "[1,2]",
        "/1"},
    Row{R"({"$ref":"#"})", "1", ""},  // a circle ends
};

}  // namespace

TEST_CASE("what fits a schema, and where it does not") {
  for (const Row& row : k_rows) {
    CHECK_MESSAGE(place_of(row.schema, row.value) == row.where, row.schema << " " << row.value);
  }
}

TEST_CASE("what is no schema is told with its place") {
  const std::array<std::pair<const char*, const char*>, 11> wrong = {{
      {R"(1)", "its root: a schema is an object"},
      {R"({"type":"strin"})", "/type: there is no type strin; string is one"},
      {R"({"properties":{"a":{"minimum":"1"}}})", "/properties/a/minimum: this is a number"},
      {R"({"required":"a"})", "/required: this is an array of texts"},
      {R"({"anyOf":[]})", "/anyOf: this is an array of schemas, not empty"},
      {R"({"pattern":"("})", "/pattern: the pattern cannot be read"},
      {R"({"maxItems":-1})", "/maxItems: this is a whole number"},
      {R"({"multipleOf":0})", "/multipleOf: this is a number above 0"},
      {R"({"items":{"$ref":"#/x"}})", "/items/$ref: #/x leads nowhere"},
      {R"({"$ref":"https://example.com/s"})", "/$ref: https://example.com/s leads nowhere"},
      {R"({"$dynamicRef":"#a"})", "/$dynamicRef: this keyword is not understood here"},
  }};
  for (const auto& [schema, says] : wrong) {
    const auto read = JsonSchema::read(json::parse(schema));
    REQUIRE_FALSE(read);
    CHECK(read.error().fault == Fault::Usage);
    CHECK_MESSAGE(read.error().message.find(says) != std::string::npos, read.error().message);
  }
  // Members may have the names of keywords.
  CHECK(JsonSchema::read(json::parse(R"({"properties":{"type":{},"$ref":{"type":"string"}}})")));
}

TEST_CASE("a deep answer and a pattern without end are no crash") {
  const auto schema = JsonSchema::read(json::parse(R"({"items":{"$ref":"#"}})"));
  REQUIRE(schema);
  json deep = json::array();
  for (int i = 0; i < 450; ++i) deep = json::array({deep});
  CHECK(schema->check(deep));
  const auto slow = JsonSchema::read(json::parse(R"({"pattern":"^(a+)+$"})"));
  REQUIRE(slow);
  CHECK(slow->check(json(std::string(40, 'a') + "b")));
}

}  // namespace svc
