#include "docgen/member_schema.h"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "catalogue/answer_builders.h"
#include "catalogue/catalogue.h"
#include "json/schema.h"

namespace svc::docgen {
namespace {

namespace rows = catalogue::answer;
using nlohmann::json;

constexpr std::array<sv, 2> k_states = {"on", "off"};
constexpr std::array k_call_members = {rows::text("name", rows::required)};
constexpr std::array k_variants = {rows::variant("call", k_call_members)};
constexpr std::array k_item_members = {rows::text("id")};
constexpr Shape k_item{"Item", k_item_members, "type", k_variants};
constexpr std::array k_answer = {rows::text("id", "The ID.", rows::required),
                                 rows::count("usage.total", rows::required),
                                 rows::text("state", rows::choices(k_states)),
                                 rows::number("score", rows::nullable),
                                 rows::text("tags[]"),
                                 rows::list("calls[]", k_item, rows::nullable),
                                 rows::list("output[]", k_item),
                                 rows::view("Kind", "a|b")};

bool fits(Strictness strictness, const char* document) {
  const auto schema = JsonSchema::read(json(MemberSchemas(strictness).object(k_answer)));
  REQUIRE(schema.has_value());
  return !schema->check(json::parse(document));
}
bool documented(const char* document) {
  return fits(Strictness::Documented, document);
}
bool lenient(const char* document) {
  return fits(Strictness::Lenient, document);
}

json schema_of_answer(Strictness strictness) {
  return json(MemberSchemas(strictness).object(k_answer));
}

}  // namespace

TEST_CASE("the documented schema states types, required members and known values") {
  CHECK(documented(R"({"id":"x","usage":{"total":1},"state":"on","score":null,"tags":["a"]})"));
  CHECK(documented(R"({"id":"x","usage":{"total":1},"further":{}})"));
  CHECK(!documented(R"({"usage":{"total":1}})"));
  CHECK(!documented(R"({"id":"x","usage":{}})"));
  CHECK(!documented(R"({"id":"x","usage":{"total":"1"}})"));
  CHECK(!documented(R"({"id":"x","usage":{"total":1},"state":"between"})"));
  CHECK(!documented(R"({"id":"x","usage":{"total":1},"tags":"a"})"));
  CHECK(!documented(R"({"id":"x","usage":{"total":1},"output":[{"type":"call"}]})"));
  CHECK(!documented(R"({"id":"x","usage":{"total":1},"output":[{"type":"call","name":1}]})"));
  CHECK(documented(R"({"id":"x","usage":{"total":1},"calls":null})"));
  CHECK(!documented(R"({"id":"x","usage":{"total":1},"calls":[null]})"));
  CHECK(!documented(R"({"id":"x","usage":{"total":1},"tags":null})"));
  const json schema = schema_of_answer(Strictness::Documented);
  CHECK(schema["properties"]["id"]["description"] == "The ID.");
  CHECK(schema["properties"]["usage"]["properties"]["total"]["format"] == "int64");
  CHECK(!schema["properties"].contains("a"));
}

TEST_CASE("the lenient schema passes what svc passes on") {
  for (const char* document :
       {"{}", R"({"id":null,"usage":null,"tags":null,"output":null})",
        R"({"usage":{"total":"12345678901234567890"},"state":"between"})",
        R"({"output":[null,{"type":"new","name":1},{"type":"call","name":null}]})",
        R"({"id":1,"state":true,"score":"0.5","tags":[1,null],"usage":{"total":false}})",
        R"({"output":[{"type":"call","name":1}]})"}) {
    CAPTURE(document);
    CHECK(lenient(document));
  }
  CHECK(!lenient(R"({"id":[]})"));
  CHECK(!lenient(R"({"usage":{"total":[]}})"));
  CHECK(!lenient(R"({"output":[{"type":"call","name":{}}]})"));
}

TEST_CASE("a wrapper that may be missing can have the name of a member inside it") {
  static constexpr std::array inside = {rows::text("number"), rows::text("name")};
  static constexpr Shape shape{"Number", inside};
  const std::array members = {rows::object("(number)", shape, "The number.")};
  for (const Strictness strictness : {Strictness::Documented, Strictness::Lenient}) {
    const auto schema = JsonSchema::read(json(MemberSchemas(strictness).object(members)));
    REQUIRE(schema.has_value());
    CHECK(!schema->check(json::parse(R"({"number":{"number":"+1","name":"a"}})")));
    CHECK(!schema->check(json::parse(R"({"number":"+1","name":"a"})")));
    CHECK(schema->check(json::parse(R"({"number":["+1"]})")));
    CHECK(schema->check(json::parse(R"({"number":{"name":["a"]}})")));
  }
  OrderedJson shapes = OrderedJson::object();
  CHECK(json(MemberSchemas(Strictness::Documented, &shapes).object(members))["properties"] ==
        json::parse(R"({
    "number":{"anyOf":[{"type":"string"},{"$ref":"#/components/schemas/Number"}],
              "description":"The number."},
    "name":{"type":"string"}})"));
}

TEST_CASE("with components a shape is written once, and a union is told apart by its tag") {
  OrderedJson components = OrderedJson::object();
  const json schema = json(MemberSchemas(Strictness::Documented, &components).object(k_answer));
  CHECK(schema["properties"]["output"]["items"]["$ref"] == "#/components/schemas/Item");
  const json item = json(components["Item"]);
  CHECK(item["discriminator"]["propertyName"] == "type");
  CHECK(item["discriminator"]["mapping"]["call"] == "#/components/schemas/ItemCall");
  const json call = json(components["ItemCall"]);
  CHECK(call["required"] == json{"name", "type"});
  CHECK(call["properties"]["type"]["const"] == "call");
}

TEST_CASE("the schemas of every answer and event can be read") {
  for (const Group& group : groups()) {
    for (const Operation& operation : group.operations) {
      CAPTURE(command_name(operation));
      for (const Strictness strictness : {Strictness::Documented, Strictness::Lenient}) {
        MemberSchemas schemas(strictness);
        CHECK(JsonSchema::read(json(schemas.object(operation.answer))).has_value());
        CHECK(JsonSchema::read(json(item_schema(operation, strictness))).has_value());
        for (const StreamEvent& event : operation.events) {
          CAPTURE(event.name);
          CHECK(JsonSchema::read(json(schemas.object(event.members))).has_value());
        }
      }
    }
  }
}

TEST_CASE("schemas, word for word") {
  const std::array members = {rows::text("id", "The ID.", rows::required),
                              rows::text("state", rows::choices(k_states), rows::nullable),
                              rows::object("item", k_item, "The item.", rows::nullable),
                              rows::text_or_object("error", k_item),
                              rows::list("calls[]", k_item, rows::nullable),
                              rows::number("usage.score[]"),
                              rows::boolean("usage.on", rows::required),
                              rows::integer("count"),
                              rows::time("time"),
                              rows::cents("price"),
                              rows::json("any"),
                              rows::view("Kind", "a|b")};
  OrderedJson shapes = OrderedJson::object();
  CHECK(json(MemberSchemas(Strictness::Documented, &shapes).object(members)) == json::parse(R"({
    "type":"object","properties":{
      "id":{"type":"string","description":"The ID."},
      "state":{"type":["string","null"],"enum":["on","off",null]},
      "item":{"anyOf":[{"$ref":"#/components/schemas/Item"},{"type":"null"}],
              "description":"The item."},
      "error":{"anyOf":[{"type":"string"},{"$ref":"#/components/schemas/Item"}]},
      "calls":{"type":["array","null"],"items":{"$ref":"#/components/schemas/Item"}},
      "usage":{"type":"object","properties":{
        "score":{"type":"array","items":{"type":"number"}},"on":{"type":"boolean"}},
        "required":["on"]},
      "count":{"type":"integer","format":"int64"},
      "time":{"type":"string","format":"date-time"},
      "price":{"oneOf":[{"type":"object","properties":{"val":{"type":["string","integer"]}}},
                        {"type":["string","integer"]}]},
      "any":{}},
    "required":["id"]})"));
  CHECK(json(shapes) == json::parse(R"({
    "Item":{"oneOf":[{"$ref":"#/components/schemas/ItemCall"}],
            "discriminator":{"propertyName":"type",
                             "mapping":{"call":"#/components/schemas/ItemCall"}}},
    "ItemCall":{"type":"object","properties":{"id":{"type":"string"},"name":{"type":"string"},
                                              "type":{"type":"string","const":"call"}},
                "required":["name","type"]}})"));
  const json lenient = json(MemberSchemas(Strictness::Lenient).object(members));
  CHECK(lenient == json::parse(R"({
    "type":["object","null"],"properties":{
      "id":{"type":["string","number","boolean","null"]},
      "state":{"type":["string","number","boolean","null"]},
      "item":{"type":["object","null"],"properties":{"id":{"type":["string","number","boolean","null"]},
                                                     "type":{"type":["string","null"]}},
              "allOf":[{"if":{"properties":{"type":{"const":"call"}},"required":["type"]},
                        "then":{"type":["object","null"],
                                "properties":{"name":{"type":["string","number","boolean","null"]}}}}]},
      "error":{"anyOf":[{"type":"string"},
        {"type":["object","null"],"properties":{"id":{"type":["string","number","boolean","null"]},
                                                "type":{"type":["string","null"]}},
         "allOf":[{"if":{"properties":{"type":{"const":"call"}},"required":["type"]},
                   "then":{"type":["object","null"],
                           "properties":{"name":{"type":["string","number","boolean","null"]}}}}]}]},
      "calls":{"type":["array","null"],"items":
        {"type":["object","null"],"properties":{"id":{"type":["string","number","boolean","null"]},
                                                "type":{"type":["string","null"]}},
         "allOf":[{"if":{"properties":{"type":{"const":"call"}},"required":["type"]},
                   "then":{"type":["object","null"],
                           "properties":{"name":{"type":["string","number","boolean","null"]}}}}]}},
      "usage":{"type":["object","null"],"properties":{
        "score":{"type":["array","null"],"items":{"type":["number","string","boolean","null"]}},
        "on":{"type":["boolean","string","number","null"]}}},
      "count":{"type":["number","string","boolean","null"]},
      "time":{"type":["string","number","boolean","null"]},
      "price":{},
      "any":{}}})"));
}

TEST_CASE("a variant's name has a capital behind whatever is no letter and no digit") {
  static constexpr std::array variants = {rows::variant("function_call", k_call_members),
                                          rows::variant("web-search.2b", k_call_members),
                                          rows::variant("a/z:A@Z[0`9{b", k_call_members)};
  static constexpr Shape shape{"Item", k_item_members, "type", variants};
  const std::array members = {rows::list("output[]", shape)};
  OrderedJson shapes = OrderedJson::object();
  (void)MemberSchemas(Strictness::Documented, &shapes).object(members);
  CHECK(json(shapes["Item"]["discriminator"]["mapping"]) == json::parse(R"({
    "function_call":"#/components/schemas/ItemFunctionCall",
    "web-search.2b":"#/components/schemas/ItemWebSearch2b",
    "a/z:A@Z[0`9{b":"#/components/schemas/ItemAZAZ09B"})"));
}

}  // namespace svc::docgen
