// JSON Schema: what matches, and the path of a mismatch.
#include "json/schema.h"

#include <array>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "json/uri_reference.h"

namespace svc {
namespace {

using nlohmann::json;

struct Row {
  const char* schema;
  const char* value;
  const char* where;  ///< "fits", or the path
};

std::string place_of(const char* schema, const char* value) {
  const auto read = JsonSchema::read(json::parse(schema));
  if (!read) return read.error().message;
  const auto fault = read->check(json::parse(value));
  return fault ? fault->where : "fits";
}

constexpr std::array k_rows = {
    Row{"true", "1", "fits"},
    // Up to draft 7, a $ref stands alone.
    Row{R"({"$ref":"#/$defs/a","minimum":5,"$defs":{"a":{"type":"integer"}}})", "1", ""},
    Row{R"({"$schema":"http://json-schema.org/draft-07/schema#","$ref":"#/definitions/a","minimum":5,"definitions":{"a":{"type":"integer"}}})",
        "1", "fits"},
    Row{R"({"$schema":"http://json-schema.org/draft-06/schema#","properties":{"x":{"$ref":"#/definitions/a","maxLength":1}},"definitions":{"a":{"type":"string"}}})",
        R"({"x":"long"})", "fits"},
    Row{R"({"$schema":"http://json-schema.org/draft-07/schema#","properties":{"x":{"$ref":"#/definitions/a"}},"definitions":{"a":{"type":"string"}}})",
        R"({"x":1})", "/x"},
    Row{"false", "1", ""},
    Row{R"({"type":"integer"})", "1.0", "fits"},
    Row{R"({"type":"integer"})", "1.5", ""},
    Row{R"({"type":["string","null"]})", "null", "fits"},
    Row{R"({"enum":[1,"a",{"b":2}]})", R"({"b":2.0})", "fits"},
    Row{R"({"const":false})", "0", ""},
    Row{R"({"multipleOf":0.1})", "0.3", "fits"},
    Row{R"({"multipleOf":2})", "3", ""},
    Row{R"({"exclusiveMinimum":1,"maximum":2})", "1", ""},
    Row{R"({"exclusiveMinimum":1})", "1.5", "fits"},
    Row{R"({"minimum":2})", "2", "fits"},
    Row{R"({"minimum":2})", "1", ""},
    Row{R"({"maximum":2})", "2", "fits"},
    Row{R"({"maximum":2})", "3", ""},
    Row{R"({"exclusiveMaximum":2})", "1.5", "fits"},
    Row{R"({"exclusiveMaximum":2})", "2", ""},
    Row{R"({"minLength":2})", R"("éé")", "fits"},
    Row{R"({"maxLength":2})", R"("ééé")", ""},
    Row{R"({"minItems":2})", "[1,1]", "fits"},
    Row{R"({"minItems":2})", "[1]", ""},
    Row{R"({"maxItems":2})", "[1,1]", "fits"},
    Row{R"({"maxItems":2})", "[1,1,1]", ""},
    Row{R"({"minProperties":2})", R"({"a":1,"b":1})", "fits"},
    Row{R"({"minProperties":2})", R"({"a":1})", ""},
    Row{R"({"maxProperties":1})", R"({"a":1})", "fits"},
    Row{R"({"maxProperties":1})", R"({"a":1,"b":1})", ""},
    Row{R"({"uniqueItems":true})", R"([1,"1",true,null])", "fits"},
    Row{R"({"uniqueItems":false})", "[1,1]", "fits"},
    Row{R"({"contains":{"const":1},"minContains":2})", "[1,1]", "fits"},
    Row{R"({"contains":{"const":1},"maxContains":1})", "[1,2]", "fits"},
    Row{R"({"contains":{"const":1}})", "[2]", ""},
    Row{R"({"dependentRequired":{"a":["b"]}})", R"({"a":1,"b":1})", "fits"},
    Row{R"({"dependentSchemas":{"a":{"required":["b"]}}})", R"({"a":1})", ""},
    Row{R"({"if":{"required":["a"]},"else":{"required":["b"]}})", "{}", ""},
    Row{R"({"if":{"required":["a"]},"else":{"required":["b"]}})", R"({"a":1})", "fits"},
    Row{R"({"maxLength":1,"maximum":1,"maxItems":1,"required":["a"]})", "true", "fits"},
    Row{R"({"maxLength":2})", R"("éé")", "fits"},
    Row{R"({"minLength":3})", R"("éé")", ""},
    Row{R"({"pattern":"^\\d+$"})", R"("12")", "fits"},
    Row{R"({"pattern":"^\\d+$"})", R"("1\n2")", ""},
    Row{R"({"required":["a"]})", R"({"b":1})", ""},
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
    // Keywords next to a reference apply too.
    Row{R"({"$ref":"#/$defs/n","maximum":3,"$defs":{"n":{"type":"number"}}})", "4", ""},
    Row{R"({"$ref":"#n","$defs":{"x":{"$anchor":"n","type":"number"}}})", R"("4")", ""},
    Row{R"({"$ref":"#_N1-.","$defs":{"x":{"$anchor":"_N1-.","type":"number"}}})", R"("4")", ""},
    Row{R"({"properties":{"next":{"$ref":"#"}},"additionalProperties":false})",
        R"({"next":{"next":{"bad":1}}})", "/next/next/bad"},
    Row{R"({"allOf":[{"properties":{"a":true}}],"unevaluatedProperties":false})",
        R"({"a":1,"b":2})", "/b"},
    Row{R"({"anyOf":[{"prefixItems":[true]},{"type":"null"}],"unevaluatedItems":false})", "[1,2]",
        "/1"},
    Row{R"({"$ref":"#"})", "1", ""},  // a cycle terminates
    Row{R"({"not":{"$ref":"#"}})", "1", ""},
    Row{R"({"multipleOf":5})", "18446744073709551615", "fits"},
    Row{R"({"multipleOf":5})", "-10", "fits"},
    Row{R"({"multipleOf":0.5})", "1e308", "fits"},
    Row{R"({"multipleOf":5})", "-11", ""},
    Row{R"({"multipleOf":0.5})", "3", "fits"},
    Row{R"({"multipleOf":1})", "1.5", ""},
    Row{R"({"multipleOf":2})", "4.0", "fits"},
    Row{R"({"multipleOf":0.1})", "0.3001", ""},
    Row{R"({"type":["integer","string"]})", "1.5", ""},
    Row{R"({"type":"number"})", "1", "fits"},
    Row{R"({"type":"boolean"})", "true", "fits"},
    Row{R"({"type":"boolean"})", "0", ""},
    // Up to draft 7, one keyword held both kinds of dependency.
    Row{R"({"dependencies":{"a":["b"]}})", R"({"a":1})", ""},
    Row{R"({"dependencies":{"a":["b"]}})", R"({"a":1,"b":1})", "fits"},
    Row{R"({"dependencies":{"a":["b"]}})", R"({"c":1})", "fits"},
    Row{R"({"dependencies":{"a":{"required":["b"]}}})", R"({"a":1})", ""},
    Row{R"({"dependencies":{"a":{"required":["b"]}}})", R"({"c":1})", "fits"},
    Row{R"({"dependencies":{"a":["a"],"b":{"required":["c"]}}})", R"({"a":1,"b":1})", ""},
    Row{R"({"dependencies":{"a":["a"],"b":["c"]}})", R"({"a":1,"b":1})", ""},
    Row{R"({"dependentRequired":{"x":["y"],"a":["b"]}})", R"({"a":1})", ""},
    Row{R"({"dependentSchemas":{"a":true,"b":{"required":["c"]}}})", R"({"a":1,"b":1})", ""},
    // and an array of `items` was what is "prefixItems" now.
    Row{R"({"items":[{"type":"string"}],"additionalItems":{"type":"null"}})", R"(["a",null])",
        "fits"},
    Row{R"({"items":[{"type":"string"}],"additionalItems":{"type":"null"}})", R"(["a",1])", "/1"},
    Row{R"({"items":[{"type":"string"}],"additionalItems":{"type":"null"}})", "[null]", "/0"},
    Row{R"({"items":[{"type":"string"}]})", R"(["a",1])", "fits"},
    Row{R"({"items":{"type":"string"},"additionalItems":false})", R"(["a","b"])", "fits"},
    Row{R"({"prefixItems":[true,{"type":"null"}]})", "[1,1]", "/1"},
    Row{R"({"prefixItems":[true,{"type":"null"}]})", "[1]", "fits"},
    Row{R"({"propertyNames":{"maxLength":2}})", R"({"ab":1})", "fits"},
    Row{R"({"not":{"type":"null"}})", "1", "fits"},
    Row{R"({"oneOf":[{"type":"null"},{"type":"string"}]})", "1", ""},
    Row{R"({"anyOf":[{"type":"null"},{"minimum":2}]})", "2", "fits"},
    Row{R"({"anyOf":[{"minimum":1},{"minimum":2}]})", "3", "fits"},
    Row{R"({"allOf":[{"minimum":1},{"minimum":2}]})", "1", ""},
    Row{R"({"contains":{"const":1},"minContains":1})", "[2]", ""},
    Row{R"({"patternProperties":{"^x":true},"additionalProperties":false})", R"({"xa":1})", "fits"},
    Row{R"({"patternProperties":{"^x":true},"additionalProperties":{"type":"null"}})",
        R"({"xa":1,"b":1})", "/b"},
    Row{R"({"patternProperties":{"^x":true,"a$":{"type":"null"}}})", R"({"xa":1})", "/xa"},
    Row{R"({"properties":{"xa":true},"patternProperties":{"a$":{"type":"null"}}})", R"({"xa":1})",
        "/xa"},
};

/// References within a document, with `$id`, anchors and pointers.
constexpr std::array k_reference_rows = {
    // An identifier changes the base of all references in it.
    Row{R"({"$id":"http://a.example/x/root.json","properties":{"n":{"$ref":"node.json"}},
            "$defs":{"n":{"$id":"node.json","type":"number"}}})",
        R"({"n":"1"})", "/n"},
    Row{R"({"$id":"http://a.example/x/root.json","items":{"$ref":"/y/./z/../node.json"},
            "$defs":{"n":{"$id":"../y/node.json","type":"number"}}})",
        R"(["1"])", "/0"},
    Row{R"({"$id":"root","items":{"$ref":"node"},"$defs":{"n":{"$id":"node","type":"number"}}})",
        R"([1])", "fits"},
    Row{R"({"$id":"urn:example:root","items":{"$ref":"urn:example:root#/$defs/n"},
            "$defs":{"n":{"type":"number"}}})",
        R"(["1"])", "/0"},
    // "#" is the nearest resource, not the document.
    Row{R"({"type":"object","properties":{"a":{"$id":"a","type":"array","items":{"$ref":"#"}}}})",
        R"({"a":[[{}]]})", "/a/0/0"},
    Row{R"({"$ref":"other#in","$defs":{"o":{"$id":"other","$defs":{"i":{"$anchor":"in",
            "type":"null"}}},"p":{"$anchor":"in"}}})",
        "1", ""},
    // A value that looks like a schema defines no name.
    Row{R"({"enum":[{"$id":"e","type":"null"}],"$defs":{"e":{"$id":"e"}},"$ref":"e"})",
        R"({"$id":"e","type":"null"})", "fits"},
    Row{R"({"$ref":"#/$defs/a%25b~1c~0%22%C3%A9","$defs":{"a%b/c~\"é":{"type":"null"}}})", "1", ""},
    Row{R"({"$ref":"#/$defs//x","$defs":{"":{"x":{"type":"null"}}}})", "1", ""},
    Row{R"({"$ref":"#/anyOf/1","anyOf":[true,{"type":"null"}]})", "1", ""},
    Row{R"({"items":{"$ref":"#/elsewhere/s"},"elsewhere":{"s":{"pattern":"^a"}}})", R"(["b"])",
        "/0"},
    // The outermost dynamic anchor applies, but not a plain one.
    Row{R"({"$id":"strict","$dynamicAnchor":"node","$ref":"tree","unevaluatedProperties":false,
            "$defs":{"t":{"$id":"tree","$dynamicAnchor":"node","type":"object","properties":{
            "data":true,"children":{"type":"array","items":{"$dynamicRef":"#node"}}}}}})",
        R"({"children":[{"daat":1}]})", "/children/0/daat"},
    Row{R"({"$id":"root","$anchor":"t","type":"array","items":{"$ref":"list"},
            "$defs":{"l":{"$id":"list","items":{"$dynamicRef":"#t"},
            "$defs":{"t":{"$dynamicAnchor":"t","type":"string"}}}}})",
        R"([["a",1]])", "/0/1"},
    Row{R"({"$ref":"https://json-schema.org/draft/2020-12/schema"})",
        R"({"items":{"minLength":-1}})", "/items/minLength"},
    Row{R"({"items":{"$id":"#old","type":"null"},"contains":{"$ref":"#old"}})", "[1]", "/0"},
    // A resource that was left does not count, one on the way does, also if it is not the first.
    Row{R"({"allOf":[{"$ref":"strict"},{"$ref":"list"}],"$defs":{
            "s":{"$id":"strict","$dynamicAnchor":"n","type":"array"},
            "l":{"$id":"list","items":{"$dynamicRef":"#n"},
            "$defs":{"n":{"$dynamicAnchor":"n","type":"string"}}}}})",
        R"(["a"])", "fits"},
    Row{R"({"$id":"root","$ref":"mid","$defs":{"m":{"$id":"mid","$ref":"list",
            "$defs":{"n":{"$dynamicAnchor":"n","type":"number"}}},
            "l":{"$id":"list","items":{"$dynamicRef":"#n"},
            "$defs":{"n":{"$dynamicAnchor":"n","type":"string"}}}}})",
        R"([1,"a"])", "/1"},
    Row{R"({"items":{"$dynamicRef":"other#n"},"$defs":{"o":{"$id":"other",
            "$defs":{"n":{"$dynamicAnchor":"n","type":"null"}}}}})",
        "[null,1]", "/1"},
    Row{R"({"$id":"#","type":"null"})", "1", ""},
    Row{R"({"$ref":"#/$defs/~01","$defs":{"~1":{"type":"null"}}})", "1", ""},
    // Up to draft 7, what is beside "$ref" is ignored, an "$id" too.
    Row{R"({"$schema":"http://json-schema.org/draft-07/schema#","items":{"$id":"sub",
            "$ref":"#/definitions/n"},"definitions":{"n":{"type":"null"}}})",
        "[1]", "/0"},
    Row{R"({"$schema":"http://json-schema.org/draft-04/schema","$ref":"#/definitions/n","maximum":0,
            "definitions":{"n":{"type":"number"}}})",
        "1", "fits"},
    Row{R"({"$schema":"https://json-schema.org/draft/2020-12/schema","$ref":"#/$defs/n",
            "maximum":0,"$defs":{"n":{"type":"number"}}})",
        "1", ""},
};

/// Each schema sees what is evaluated inside it, not next to it.
constexpr std::array k_unevaluated_rows = {
    Row{R"({"allOf":[{"properties":{"a":true}},{"unevaluatedProperties":false}]})", R"({"a":1})",
        "/a"},
    Row{R"({"properties":{"a":true},"allOf":[{"unevaluatedProperties":false}]})", R"({"a":1})",
        "/a"},
    Row{R"({"if":{"properties":{"a":true}},"then":{"unevaluatedProperties":false}})", R"({"a":1})",
        "/a"},
    Row{R"({"if":{"required":["a"],"properties":{"a":true}},"unevaluatedProperties":false})",
        R"({"a":1})", "fits"},
    Row{R"({"if":{"required":["b"],"properties":{"a":true}},"unevaluatedProperties":false})",
        R"({"a":1})", "/a"},
    Row{R"({"prefixItems":[true],"allOf":[{"unevaluatedItems":false}]})", "[1]", "/0"},
    Row{R"({"anyOf":[{"items":true},{"type":"null"}],"unevaluatedItems":false})", "[1,2]", "fits"},
    Row{R"({"contains":{"type":"string"},"unevaluatedItems":{"type":"null"}})", R"(["a",null])",
        "fits"},
    Row{R"({"not":{"not":{"properties":{"a":true}}},"unevaluatedProperties":false})", R"({"a":1})",
        "/a"},
    Row{R"({"allOf":[{"unevaluatedItems":{"type":"number"}}],"unevaluatedItems":false})", "[1]",
        "fits"},
    Row{R"({"allOf":[{"unevaluatedProperties":true}],"unevaluatedProperties":false})", R"({"a":1})",
        "fits"},
    Row{R"({"additionalProperties":true,"unevaluatedProperties":false})", R"({"a":1})", "fits"},
    Row{R"({"patternProperties":{"^a":true},"unevaluatedProperties":false})", R"({"ab":1})",
        "fits"},
    Row{R"({"items":[true],"additionalItems":true,"unevaluatedItems":false})", "[1,2]", "fits"},
    Row{R"({"items":[true],"unevaluatedItems":false})", "[1,2]", "/1"},
    Row{R"({"unevaluatedItems":false})", R"({"a":1})", "fits"},
    Row{R"({"unevaluatedProperties":false})", "[1]", "fits"},
    // What a schema evaluated counts only if it matched.
    Row{R"({"anyOf":[{"properties":{"a":true},"required":["b"]},{"properties":{"c":true}}],
            "unevaluatedProperties":false})",
        R"({"a":1,"c":1})", "/a"},
    Row{R"({"contains":{"type":"string"},"unevaluatedItems":false})", R"(["a",1])", "/1"},
};

}  // namespace

TEST_CASE("which values match a schema, and the path of a mismatch") {
  const auto check = [](const auto& rows) {
    for (const Row& row : rows) {
      CHECK_MESSAGE(place_of(row.schema, row.value) == row.where, row.schema << " " << row.value);
    }
  };
  check(k_rows);
  check(k_reference_rows);
  check(k_unevaluated_rows);
}

TEST_CASE("a mismatch is explained in a sentence") {
  const std::array<std::array<const char*, 4>, 44> rows = {{
      {R"({"type":["integer","null"]})", R"("a")", "expected integer or null, got a string (type)"},
      {R"({"minimum":20})", "12", "12 is less than 20 (minimum)"},
      {R"({"exclusiveMaximum":2})", "2", "2 is not less than 2 (exclusiveMaximum)"},
      {R"({"minItems":1})", "[]", "expected at least 1 item, got 0 (minItems)"},
      {R"({"maxLength":2})", R"("abc")", "expected at most 2 characters, got 3 (maxLength)"},
      {R"({"required":["a"]})", "{}", R"(missing required field "a" (required))"},
      {R"({"const":{"a":[1,"b"]}})", "null", R"(null is not {"a":[1,"b"]} (const))"},
      {R"({"not":{}})", "1", "must not match this schema (not)"},
      {R"({"propertyNames":{"maxLength":1}})", R"({"ab":1})",
       "invalid field name: expected at most 1 character, got 2 (maxLength) (propertyNames)",
       "/ab"},
      {R"({"anyOf":[{"type":"null"},{"type":"string"}]})", "1",
       "matches none of 2 schemas (anyOf); first mismatch: expected null, got an integer (type)"},
      {R"({"maximum":20})", "21", "21 is greater than 20 (maximum)"},
      {R"({"exclusiveMinimum":2})", "2", "2 is not greater than 2 (exclusiveMinimum)"},
      {R"({"multipleOf":3})", "4", "4 is not a multiple of 3 (multipleOf)"},
      {R"({"maxItems":1})", "[1,2]", "expected at most 1 item, got 2 (maxItems)"},
      {R"({"minItems":2})", "[1]", "expected at least 2 items, got 1 (minItems)"},
      {R"({"minLength":1})", R"("")", "expected at least 1 character, got 0 (minLength)"},
      {R"({"minProperties":2})", R"({"a":1})", "expected at least 2 fields, got 1 (minProperties)"},
      {R"({"oneOf":[{},true,{"type":"null"}]})", "1",
       "matches 2 schemas, expected exactly one (oneOf)"},
      // The alternative that matched furthest is the one that was meant.
      {R"({"anyOf":[{"type":"null"},{"properties":{"a":{"type":"null"}}}]})", R"({"a":1})",
       "expected null, got an integer (type)", "/a"},
      {R"({"anyOf":[{"type":"null"}]})", "1", "expected null, got an integer (type)"},
      {R"({"additionalProperties":false})", R"({"a/b":1})",
       "this field is not allowed (additionalProperties)", "/a~1b"},
      {R"({"properties":{"a":{}},"unevaluatedProperties":false})", R"({"a":1,"b":2})",
       "this field is not allowed (unevaluatedProperties)", "/b"},
      {R"({"prefixItems":[{}],"unevaluatedItems":false})", "[1,2]",
       "this item is not allowed (unevaluatedItems)", "/1"},
      {R"({"unevaluatedItems":{"type":"null"}})", "[null,2]",
       "expected null, got an integer (type)", "/1"},
      {"false", "1", "no value is allowed here (false)"},
      {R"({"type":"null"})", "true", "expected null, got a boolean (type)"},
      {R"({"type":"null"})", "{}", "expected null, got an object (type)"},
      {R"({"type":"null"})", "[]", "expected null, got an array (type)"},
      {R"({"type":"null"})", "1.5", "expected null, got a number (type)"},
      {R"({"type":"string"})", "null", "expected string, got null (type)"},
      {R"({"enum":["a",2]})", "1", R"(1 is not one of ["a",2] (enum))"},
      {R"({"pattern":"^b"})", R"("a")", R"("a" does not match "^b" (pattern))"},
      {R"({"dependentRequired":{"a":["b"]}})", R"({"a":1})",
       R"(missing required field "b" (dependentRequired))"},
      {R"({"dependencies":{"a":["b"]}})", R"({"a":1})",
       R"(missing required field "b" (dependencies))"},
      {R"({"maxProperties":1})", R"({"a":1,"b":2})",
       "expected at most 1 field, got 2 (maxProperties)"},
      {R"({"uniqueItems":true})", "[1,2,1]", "duplicate items (uniqueItems)"},
      {R"({"contains":{"const":1}})", "[2]", "no matching item (contains)"},
      {R"({"contains":{"const":1},"minContains":1})", "[2]",
       "expected at least 1 matching item, got 0 (minContains)"},
      {R"({"contains":{"const":1},"maxContains":2})", "[1,1,1]",
       "expected at most 2 matching items, got 3 (maxContains)"},
      {R"({"oneOf":[{"type":"null"},{"type":"string"}]})", "1",
       "matches none of 2 schemas (oneOf); first mismatch: expected null, got an integer (type)"},
      {R"({"additionalProperties":{"type":"null"}})", R"({"a":1})",
       "expected null, got an integer (type)", "/a"},
      // Of large values, the beginning is shown.
      {R"({"const":[{"a":1,"b":[]},{}]})", "1", R"(1 is not [{"a":1,"b":[]},{}] (const))"},
      {R"({"const":"a23456789b23456789c23456789d23456789e23456789f23456789g23456789"})", "1",
       R"(1 is not "a23456789b23456789c23456789d23456789e23456789f23456789g2345… (const))"},
      {R"({"enum":["a23456789b23456789","a23456789b23456789","a23456789b23456789","z"]})", "1",
       R"(1 is not one of ["a23456789b23456789","a23456789b23456789","a23456789b234567… (enum))"},
  }};
  for (const auto& [schema, value, says, where] : rows) {
    CAPTURE(schema);
    const auto read = JsonSchema::read(json::parse(schema));
    REQUIRE(read);
    const auto fault = read->check(json::parse(value));
    REQUIRE(fault);
    CHECK(fault->why == says);
    CHECK(fault->where == (where == nullptr ? "" : where));
  }
}

TEST_CASE("an invalid schema is reported with the path of the error") {
  const std::array<std::pair<const char*, const char*>, 43> wrong = {{
      {R"(1)", "JSON Schema: expected a schema (an object, true or false), got 1"},
      {R"({"type":"objekt"})",
       R"(not a valid JSON Schema: /type: unknown type "objekt" (did you mean "object"?))"},
      {R"({"type":7})", "/type: expected a type name, got 7"},
      {R"({"properties":{"a":{"minimum":"1"}}})",
       R"(/properties/a/minimum: expected a number, got "1")"},
      {R"({"required":"a"})", R"(/required: expected an array of strings, got "a")"},
      {R"({"anyOf":[]})", "/anyOf: expected a non-empty array of schemas, got []"},
      {R"({"pattern":"("})",
       R"(/pattern: "(" is not a valid pattern: end pattern with unmatched parenthesis)"},
      {R"({"maxItems":-1})", "/maxItems: expected an integer, 0 or more, got -1"},
      {R"({"multipleOf":0})", "/multipleOf: expected a number greater than 0, got 0"},
      {R"({"items":{"$ref":"#/x"}})", R"(/items/$ref: "#/x" does not exist in this document)"},
      {R"({"$ref":"#x"})", R"(/$ref: "#x" does not exist)"},
      {R"({"$ref":"#/type/0","type":["null"]})", "/type/0: expected a schema"},
      {R"({"$ref":"https://example.com/s"})",
       R"(/$ref: "https://example.com/s" is not in this document, and svc does not fetch schemas: add that schema, with its $id, to $defs)"},
      {R"({"$dynamicRef":"#a"})", R"(/$dynamicRef: "#a" does not exist)"},
      {R"({"$recursiveRef":"#"})",
       R"(/$recursiveRef: $recursiveRef belongs to draft 2019-09; use "$dynamicRef")"},
      {R"({"$anchor":"1"})",
       R"(/$anchor: expected a name of letters, digits, _, - and . that starts with a letter or _, got "1")"},
      {R"({"$anchor":""})",
       R"(/$anchor: expected a name of letters, digits, _, - and . that starts with a letter or _, got "")"},
      {R"({"$anchor":"a!"})",
       R"(/$anchor: expected a name of letters, digits, _, - and . that starts with a letter or _, got "a!")"},
      {R"({"$defs":{"a":{"$anchor":"x"},"b":{"$anchor":"x"}}})",
       "/$defs/b/$anchor: the anchor x is used twice"},
      {R"({"$defs":{"a":{"$id":"x"},"b":{"$id":"x"}}})",
       R"(/$defs/b/$id: "x" is the $id of another schema in this document)"},
      {R"({"$id":"http://a/#b"})", R"(/$id: "http://a/#b" has a fragment; use "$anchor")"},
      {R"({"type":["null","objekt"]})", R"(/type: unknown type "objekt")"},
      {R"({"type":"zzz"})",
       R"(/type: unknown type "zzz" (known: null, boolean, object, array, number, string, integer))"},
      {R"({"title":1})", "/title: expected a string, got 1"},
      {R"({"pattern":1})", "/pattern: expected a string, got 1"},
      {R"({"$ref":1})", "/$ref: expected a string, got 1"},
      {R"({"$id":1})", "/$id: expected a string, got 1"},
      {R"({"enum":1})", "/enum: expected an array, got 1"},
      {R"({"uniqueItems":1})", "/uniqueItems: expected true or false, got 1"},
      {R"({"required":["a",1]})", R"(/required: expected an array of strings, got ["a",1])"},
      {R"({"dependentRequired":{"a":"b"}})",
       R"(/dependentRequired: expected an object of arrays of strings, got {"a":"b"})"},
      {R"({"dependentRequired":[["a"]]})",
       R"(/dependentRequired: expected an object of arrays of strings, got [["a"]])"},
      {R"({"properties":[]})", "/properties: expected an object of schemas, got []"},
      {R"({"dependencies":[]})", "/dependencies: expected an object of schemas, got []"},
      {R"({"dependencies":{"a":["b"],"c":1}})",
       "/dependencies/c: expected a schema (an object, true or false), got 1"},
      {R"({"allOf":{"a":{}}})", R"(/allOf: expected a non-empty array of schemas, got {"a":{}})"},
      {R"({"items":[true,1]})", "/items/1: expected a schema (an object, true or false), got 1"},
      {R"({"items":1})", "/items: expected a schema (an object, true or false), got 1"},
      {R"({"maxLength":1.5})", "/maxLength: expected an integer, 0 or more, got 1.5"},
      {R"({"maxLength":1e15})", "/maxLength: expected an integer, 0 or more, got 1"},
      {R"({"maxLength":"1"})", R"(/maxLength: expected an integer, 0 or more, got "1")"},
      {R"({"patternProperties":{"(":true}})",
       R"(/patternProperties/(: "(" is not a valid pattern: )"},
      {R"({"$ref":"#/anyOf/2","anyOf":[true,true]})",
       R"(/$ref: "#/anyOf/2" does not exist in this document)"},
  }};
  for (const auto& [schema, says] : wrong) {
    const auto read = JsonSchema::read(json::parse(schema));
    REQUIRE_FALSE(read);
    CHECK(read.error().fault == Fault::Usage);
    CHECK_MESSAGE(read.error().message.find(says) != std::string::npos, read.error().message);
  }
  for (const char* none : {"#/anyOf/-1", "#/anyOf/x", "#/title/0", "#/title/anyOf"}) {
    const auto read =
        JsonSchema::read(json{{"$ref", none}, {"title", "t"}, {"anyOf", json::array({true})}});
    REQUIRE_FALSE(read);
    CHECK(read.error().message.find("does not exist in this document") != std::string::npos);
  }
  const auto nested = [](int levels) {
    json schema = true;
    for (int i = 0; i < levels; ++i) schema = json{{"not", schema}};
    return JsonSchema::read(schema);
  };
  CHECK(nested(256));
  REQUIRE_FALSE(nested(257));
  CHECK(nested(257).error().message.ends_with(": nested deeper than 256 schemas"));
  // Fields may have the names of keywords.
  CHECK(JsonSchema::read(json::parse(R"({"properties":{"type":{},"$ref":{"type":"string"}}})")));
}

TEST_CASE("a check is bounded whatever the schema and answer are") {
  const auto schema = JsonSchema::read(json::parse(R"({"items":{"$ref":"#"}})"));
  REQUIRE(schema);
  json deep = json::array();
  for (int i = 0; i < 511; ++i) deep = json::array({deep});
  CHECK_FALSE(schema->check(deep));
  CHECK_FALSE(schema->check(json(2000, json::array())));  // wide is not deep
  // Exponential: 3^400 checks.
  const auto breeding =
      JsonSchema::read(json::parse(R"({"anyOf":[{"$ref":"#"},{"$ref":"#"},{"$ref":"#"}]})"));
  REQUIRE(breeding);
  const char* infinite =
      "the schema refers to itself infinitely, or the value is nested too deeply";
  CHECK(breeding->check(json(1))->why == infinite);
  const auto endless = JsonSchema::read(json::parse(R"({"$ref":"#"})"));
  REQUIRE(endless);
  CHECK(endless->check(json(1))->why == infinite);
}

TEST_CASE("a pattern that does not terminate stops the check, even where a mismatch is wanted") {
  const json runaway(std::string(40, 'a') + "b");
  for (const char* text : {R"({"pattern":"^(a+)+$"})", R"({"not":{"pattern":"^(a+)+$"}})"}) {
    const auto slow = JsonSchema::read(json::parse(text));
    REQUIRE(slow);
    const auto fault = slow->check(runaway);
    REQUIRE(fault);
    CHECK(fault->why == R"(matching the pattern "^(a+)+$" takes too long)");
  }
}

TEST_CASE("a reference is resolved as RFC 3986 shows") {
  const std::string base = "http://a/b/c/d;p?q";
  // The examples of its sections 5.4.1 and 5.4.2.
  const std::array<std::pair<const char*, const char*>, 41> rows = {{
      {"g:h", "g:h"},
      {"g", "http://a/b/c/g"},
      {"./g", "http://a/b/c/g"},
      {"g/", "http://a/b/c/g/"},
      {"/g", "http://a/g"},
      {"//g", "http://g"},
      {"?y", "http://a/b/c/d;p?y"},
      {"g?y", "http://a/b/c/g?y"},
      {"#s", "http://a/b/c/d;p?q#s"},
      {"g#s", "http://a/b/c/g#s"},
      {"g?y#s", "http://a/b/c/g?y#s"},
      {";x", "http://a/b/c/;x"},
      {"g;x", "http://a/b/c/g;x"},
      {"g;x?y#s", "http://a/b/c/g;x?y#s"},
      {"", "http://a/b/c/d;p?q"},
      {".", "http://a/b/c/"},
      {"./", "http://a/b/c/"},
      {"..", "http://a/b/"},
      {"../", "http://a/b/"},
      {"../g", "http://a/b/g"},
      {"../..", "http://a/"},
      {"../../", "http://a/"},
      {"../../g", "http://a/g"},
      {"../../../g", "http://a/g"},
      {"../../../../g", "http://a/g"},
      {"/./g", "http://a/g"},
      {"/../g", "http://a/g"},
      {"g.", "http://a/b/c/g."},
      {".g", "http://a/b/c/.g"},
      {"g..", "http://a/b/c/g.."},
      {"..g", "http://a/b/c/..g"},
      {"./../g", "http://a/b/g"},
      {"./g/.", "http://a/b/c/g/"},
      {"g/./h", "http://a/b/c/g/h"},
      {"g/../h", "http://a/b/c/h"},
      {"g;x=1/./y", "http://a/b/c/g;x=1/y"},
      {"g;x=1/../y", "http://a/b/c/y"},
      {"g?y/./x", "http://a/b/c/g?y/./x"},
      {"g?y/../x", "http://a/b/c/g?y/../x"},
      {"g#s/./x", "http://a/b/c/g#s/./x"},
      {"g#s/../x", "http://a/b/c/g#s/../x"},
  }};
  for (const auto& [reference, resolved] : rows) {
    CAPTURE(reference);
    CHECK(resolve_uri(base, reference) == resolved);
  }
  CHECK(resolve_uri("http://a", "g") == "http://a/g");
  CHECK(resolve_uri("urn:a:b", "#s") == "urn:a:b#s");
  CHECK(resolve_uri("a", "b") == "b");
  CHECK(resolve_uri("", "urn:a/../b") == "urn:a/../b");
}

}  // namespace svc
