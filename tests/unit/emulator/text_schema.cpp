#include <regex>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "emulator/model/answer.h"
#include "json/schema.h"

namespace svc::emulator::text {
namespace {

// The sample, which must match its schema.
Json sample(const std::string& schema_text, std::size_t variation = 0) {
  const Json schema = parse_json(schema_text);
  REQUIRE_MESSAGE(!schema.is_null(), schema_text);
  const auto value = sample_schema(schema, variation);
  REQUIRE_MESSAGE(value.has_value(), schema_text);
  const auto checker = JsonSchema::read(nlohmann::json::parse(schema_text));
  REQUIRE_MESSAGE(checker.has_value(), schema_text);
  const auto fault = checker->check(nlohmann::json::parse(dump(*value)));
  CHECK_MESSAGE(!fault, schema_text << " -> " << dump(*value));
  return *value;
}

bool impossible(const std::string& schema_text) {
  return !sample_schema(parse_json(schema_text)).has_value();
}

}  // namespace

TEST_CASE("each type has a sample") {
  CHECK(sample(R"({"type":"string"})").is_string());
  CHECK(sample(R"({"type":"integer"})") == 1);
  CHECK(sample(R"({"type":"number"})").is_number());
  CHECK(sample(R"({"type":"boolean"})") == true);
  CHECK(sample(R"({"type":"null"})").is_null());
  CHECK(sample(R"({"type":"array"})").size() == 1);
  CHECK(sample(R"({"type":"object"})") == Json::object());
  CHECK(sample(R"({"type":["null","integer"]})") == 1);
  CHECK(sample("{}").is_string());
  CHECK(sample("true").is_string());
  CHECK(impossible("false"));
  CHECK(impossible(R"({"type":"nothing"})"));
}

TEST_CASE("values given in the schema are used") {
  CHECK(sample(R"({"enum":["a","b"]})") == "a");
  CHECK(sample(R"({"enum":["a","b"]})", 1) == "b");
  CHECK(sample(R"({"type":"integer","enum":["a",7]})") == 7);
  CHECK(sample(R"({"const":{"x":[1]}})") == Json{{"x", {1}}});
  CHECK(sample(R"({"const":null})").is_null());
  CHECK(sample(R"({"type":"string","default":"north"})") == "north");
  CHECK(sample(R"({"pattern":"^[A-Z]{2}$","examples":["NO"]})") == "NO");
  CHECK(sample(R"({"type":"string","maxLength":3,"default":"north","examples":["so"]})") == "so");
}

TEST_CASE("limits of numbers") {
  CHECK(sample(R"({"type":"integer","minimum":5})") == 5);
  CHECK(sample(R"({"type":"integer","exclusiveMinimum":5})") == 6);
  CHECK(sample(R"({"type":"integer","maximum":-5})") == -5);
  CHECK(sample(R"({"type":"integer","exclusiveMaximum":-5})") == -6);
  CHECK(sample(R"({"type":"integer","minimum":10,"multipleOf":7})") == 14);
  CHECK(sample(R"({"type":"integer","multipleOf":2.5})") == 5);
  CHECK(sample(R"({"type":"number","minimum":0.2,"maximum":0.3})").get<double>() == 0.25);
  CHECK(sample(R"({"type":"number","exclusiveMinimum":0,"exclusiveMaximum":1})").get<double>() ==
        0.5);
  CHECK(sample(R"({"type":"number","multipleOf":0.01,"minimum":19.99})").get<double>() ==
        doctest::Approx(19.99));
  CHECK(sample(R"({"type":"integer","minimum":-9007199254740991,"maximum":-9007199254740000})") ==
        -9007199254740000);
  CHECK(impossible(R"({"type":"integer","minimum":1.2,"maximum":1.8})"));
  CHECK(impossible(R"({"type":"number","minimum":2,"maximum":1})"));
}

TEST_CASE("limits of strings, in characters") {
  CHECK(sample(R"({"type":"string","minLength":50})").get<std::string>().size() == 50);
  CHECK(sample(R"({"type":"string","maxLength":3})").get<std::string>().size() == 3);
  CHECK(sample(R"({"type":"string","maxLength":0})") == "");
  CHECK(impossible(R"({"type":"string","minLength":5,"maxLength":4})"));
  CHECK(impossible(R"({"type":"string","minLength":1000000000})"));
  CHECK(sample(R"({"type":"object","properties":{"Straße":{"type":"string"}}})")["Straße"] ==
        "emulated Straße");
}

TEST_CASE("formats") {
  const auto text = [](const std::string& format) {
    return sample(R"({"type":"string","format":")" + format + "\"}").get<std::string>();
  };
  CHECK(std::regex_match(text("date"), std::regex(R"(\d{4}-\d\d-\d\d)")));
  CHECK(std::regex_match(text("date-time"), std::regex(R"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ)")));
  CHECK(std::regex_match(text("email"), std::regex(R"(\w+@[\w.]+)")));
  CHECK(std::regex_match(text("uuid"), std::regex(R"([0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})")));
  CHECK(text("uri").starts_with("https://"));
  CHECK(text("never heard of").starts_with("emulated"));
}

TEST_CASE("objects") {
  const Json value = sample(R"({"type":"object","properties":{"city":{"type":"string"},
      "days":{"type":"integer","minimum":3}},"required":["city","extra"]})");
  CHECK(value["city"] == "emulated city");
  CHECK(value["days"] == 3);
  CHECK(value.contains("extra"));
  // In the schema's order.
  CHECK(dump(sample(R"({"properties":{"z":{"const":1},"a":{"const":2}}})")) == R"({"z":1,"a":2})");
  CHECK(impossible(R"({"type":"object","required":["a"],"additionalProperties":false})"));
  CHECK(impossible(R"({"type":"object","properties":{"a":false},"required":["a"]})"));
  CHECK(sample(R"({"properties":{"a":false}})") == Json::object());
}

TEST_CASE("arrays") {
  CHECK(sample(R"({"type":"array","items":{"type":"integer"},"minItems":3})") == Json{1, 2, 3});
  CHECK(sample(R"({"type":"array","maxItems":0})") == Json::array());
  CHECK(sample(R"({"type":"array","items":false})") == Json::array());
  CHECK(sample(R"({"items":{"type":"boolean"},"minItems":2,"uniqueItems":true})") ==
        Json{true, false});
  CHECK(sample(R"({"prefixItems":[{"const":"a"},{"type":"integer"}],"items":{"type":"string"},
                   "minItems":4})")
            .size() == 4);
  CHECK(impossible(R"({"type":"array","minItems":1000000000})"));
}

TEST_CASE("combinations") {
  CHECK(
      sample(R"({"allOf":[{"properties":{"a":{"minimum":3}}},{"properties":{"a":{"type":"integer"}},
                   "required":["a"]}]})")["a"] == 3);
  // A schema may be true or false.
  for (const char* both : {R"({"const":3}},"required":["a"]},{"properties":{"a":true}})",
                           R"(true},"required":["a"]},{"properties":{"a":{"const":3}}})"}) {
    CHECK(sample(R"({"allOf":[{"properties":{"a":)" + std::string(both) + "]}") == Json{{"a", 3}});
  }
  CHECK(impossible(R"({"allOf":[{"properties":{"a":{"const":3}},"required":["a"]},
                       {"properties":{"a":false}}]})"));
  CHECK(sample(R"({"anyOf":[false,{"const":2}]})") == 2);
  CHECK(sample(R"({"type":"object","properties":{"kind":{"enum":["a","b"]}},"required":["kind"],
      "oneOf":[{"properties":{"kind":{"const":"c"}}},{"properties":{"kind":{"const":"b"},
      "size":{"type":"integer"}},"required":["size"]}]})") == Json{{"kind", "b"}, {"size", 1}});
  CHECK(sample(R"({"oneOf":[{"type":"integer"},{"type":"integer","minimum":0},{"const":"x"}]})") ==
        "x");
  CHECK(sample(R"({"type":"integer","not":{"const":1},"anyOf":[{"maximum":1},{"minimum":4}]})") ==
        4);
  CHECK(sample(R"({"allOf":[{"type":["integer","null"]},{"type":"number"}]})") == 1);
}

TEST_CASE("references, including cyclic ones") {
  CHECK(sample(R"({"$defs":{"a/b":{"const":5}},"$ref":"#/$defs/a~1b"})") == 5);
  CHECK(
      sample(R"({"definitions":{"x":{"type":"integer"}},"$ref":"#/definitions/x","minimum":9})") ==
      9);
  const Json list = sample(R"({"type":"object","properties":{"value":{"type":"integer"},
      "next":{"anyOf":[{"$ref":"#"},{"type":"null"}]}},"required":["value","next"],
      "additionalProperties":false})");
  CHECK(list["next"].is_object());
  const Json tree = sample(R"({"$ref":"#/$defs/node","$defs":{"node":{"type":"object","properties":{
      "name":{"type":"string"},"children":{"type":"array","items":{"$ref":"#/$defs/node"}}},
      "required":["name","children"]}}})");
  CHECK(tree["children"].is_array());
  const Json expression = sample(R"({"anyOf":[
      {"type":"object","properties":{"left":{"$ref":"#"},"right":{"$ref":"#"}},
       "required":["left","right"]},{"type":"number"}]})");
  CHECK(dump(expression).size() < 2'000);
  CHECK(impossible(R"({"$ref":"#"})"));
  CHECK(impossible(R"({"type":"object","properties":{"a":{"$ref":"#"}},"required":["a"]})"));
  CHECK(impossible(R"({"$ref":"https://elsewhere.example/schema"})"));
}

TEST_CASE("huge schemas finish soon") {
  // Far more combinations than can be tried, none of which matches.
  Json combined = {{"type", "integer"}, {"allOf", Json::array()}};
  for (int i = 0; i < 30; ++i) {
    Json options = Json::array();
    for (int k = 0; k < 10; ++k)
      options.push_back({{i % 2 == 0 ? "maximum" : "minimum", i % 2 * 100 + k}});
    combined["allOf"].push_back({{"anyOf", options}});
  }
  CHECK(sample_schema(combined).has_value());  // the closest match
  CHECK(sample(R"({"type":"array","minItems":900,"uniqueItems":true,"items":{"type":"integer"}})")
            .size() == 900);
  CHECK(impossible(R"({"type":"array","minItems":100,"items":{"$ref":"#"}})"));
  CHECK(impossible(R"({"allOf":[{"$ref":"#"},{"$ref":"#"}]})"));
  CHECK(impossible(R"({"type":"object","properties":{"a":{"$ref":"#"},"b":{"$ref":"#"},
      "c":{"$ref":"#"}},"required":["a","b","c"]})"));
}

TEST_CASE("variations differ") {
  const std::string schema =
      R"({"type":"object","properties":{"a":{"type":"string"},"b":{"type":"integer"}}})";
  CHECK(sample(schema, 0) != sample(schema, 1));
  CHECK(sample(schema, 1) != sample(schema, 2));
}

}  // namespace svc::emulator::text
