// The documents for other programs, of a small catalogue.
#include "docgen/openapi.h"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "catalogue/answer_builders.h"
#include "docgen/asyncapi.h"
#include "small_catalogue.h"

namespace svc::docgen {
namespace {

namespace rows = catalogue::answer;
using nlohmann::json;

constexpr std::array<sv, 2> k_sizes = {"1", "2"};

constexpr std::array k_query_fields = {
    Field{.flag = "tag",
          .path = "tag",
          .in = In::Query,
          .help = "A tag.",
          .repeated = true,
          .max_count = 5},
    Field{.flag = "size",
          .path = "size",
          .kind = Kind::Integer,
          .in = In::Query,
          .help = "A size.",
          .required = true,
          .choices = k_sizes,
          .status = Status::Deprecated},
    Field{.flag = "big", .path = "size", .in = In::Query, .help = "A size.", .alias = true}};

constexpr std::array k_kinds_fields = {
    Field{.flag = "share",
          .path = "share",
          .kind = Kind::Number,
          .help = "A share.",
          .range = Range{-0.5, 2}},
    Field{.flag = "time", .path = "time", .kind = Kind::Time, .help = "A time."},
    Field{.flag = "price", .path = "price", .kind = Kind::Money, .help = "A price."},
    Field{.flag = "key", .path = "key", .kind = Kind::Secret, .help = "A key."},
    Field{.flag = "wait", .path = "wait", .kind = Kind::Duration, .help = "A wait."},
    Field{.flag = "pause",
          .path = "pause",
          .kind = Kind::Duration,
          .help = "A pause.",
          .range = Range{0, 9},
          .unit_ms = 1000},
    Field{.flag = "day", .path = "day", .help = "A day.", .form = TextFormat::Day},
    Field{.flag = "land", .path = "land", .help = "A land.", .form = TextFormat::Country},
    Field{.flag = "tier",
          .path = "deep.tier",
          .help = "A tier.",
          .required = true,
          .choices = test::k_tiers,
          .null_word = "none"},
    Field{.flag = "tokens",
          .path = "deep.tokens",
          .kind = Kind::Integer,
          .help = "Tokens.",
          .quoted = true},
    Field{.flag = "call", .path = "call", .help = "A call.", .wraps = "name"},
    Field{.flag = "other", .path = "day", .help = "A day.", .alias = true}};

constexpr std::array k_form_fields = {
    Field{.flag = "purpose", .path = "purpose", .in = In::Form, .help = "Its purpose."},
    Field{.flag = "file",
          .path = "file",
          .kind = Kind::File,
          .in = In::Form,
          .help = "A file.",
          .required = true}};

constexpr std::array k_edit_fields = {
    Field{.flag = "picture",
          .kind = Kind::Media,
          .in = In::Compose,
          .help = "A picture.",
          .required = true,
          .media = MediaSlot{.one = "picture", .many = "pictures"}},
    Field{.flag = "frame",
          .kind = Kind::Media,
          .in = In::Compose,
          .help = "A frame.",
          .required = true,
          .media = MediaSlot{.one = "frame"}},
    Field{.flag = "sound",
          .kind = Kind::Media,
          .in = In::Compose,
          .help = "A sound.",
          .media = MediaSlot{.many = "sounds"}},
    Field{.flag = "frame-url", .path = "frame.url", .help = "Its URL."},
    Field{.flag = "source", .path = "source.ids", .help = "Sources.", .required = true},
    Field{.flag = "codec", .path = "format.codec", .help = "A codec.", .demanded = true},
    Field{.flag = "group", .path = "group", .kind = Kind::Json, .help = "A group.", .needs = "a|b"},
    Field{.flag = "keys", .path = "keys", .kind = Kind::Json, .help = "Keys.", .needs = "deep.key"},
    Field{.flag = "chunk", .in = In::Compose, .help = "A chunk."}};
constexpr std::array k_edit_rules = {
    Rule{RuleKind::Excludes, "picture", "sound", "One of them."},
    Rule{RuleKind::Excludes, "frame", "frame-url", "One of them."},
    Rule{RuleKind::Requires, "chunk", "codec", "A chunk needs a codec."}};

constexpr std::array k_delta_members = {rows::text("text", rows::required)};
constexpr std::array k_document = {rows::text("id", "The ID.", rows::required)};
constexpr std::array k_stream_events = {
    StreamEvent{.name = "delta", .help = "A part.", .members = k_delta_members},
    StreamEvent{.name = "done"}};
constexpr std::array k_one_event = {StreamEvent{.name = "", .members = k_delta_members}};
constexpr std::array k_socket_events = {
    StreamEvent{.name = "say", .help = "Says it.", .members = k_delta_members, .from_client = true},
    StreamEvent{.name = "said", .members = k_delta_members},
    StreamEvent{.name = "", .from_client = true}};
constexpr std::array k_values_rules = {
    Rule{RuleKind::Requires, "size=1|2", "tag", "A tag needs a size."},
    Rule{RuleKind::Excludes, "size", "nothing", "That is no field."}};

constexpr std::array k_more = {
    Operation{.group = "more",
              .name = "list",
              .method = "GET",
              .path = "/v1/more/{team_id}/all",
              .summary = "List more.",
              .fields = k_query_fields,
              .team = In::Query,
              .items = "data",
              .paging = Paging{"limit", "page_token", "next", "", "", 50},
              .rules = k_values_rules,
              .answer = k_document},
    Operation{.group = "more",
              .name = "wait",
              .method = "GET",
              .path = "/v1/more/{team_id}/all",
              .summary = "Wait for more."},
    Operation{.group = "more",
              .name = "make",
              .method = "PUT",
              .path = "/v1/more",
              .summary = "Make more.",
              .fields = k_kinds_fields,
              .replaced_by = "svc things",
              .team = In::Body},
    Operation{.group = "more",
              .name = "send",
              .method = "POST",
              .path = "/v1/more/form",
              .summary = "Send more.",
              .fields = k_form_fields,
              .reply = Reply::Bytes},
    Operation{.group = "more",
              .name = "change",
              .method = "PATCH",
              .path = "/v1/more/mask",
              .summary = "Change more.",
              .fields = std::span(k_kinds_fields).subspan(8, 1),
              .mask = Mask{"thing", "fieldMask", MaskForm::Paths}},
    Operation{.group = "more",
              .name = "name",
              .method = "PUT",
              .path = "/v1/more/mask",
              .summary = "Name more.",
              .fields = std::span(k_kinds_fields).subspan(6, 1),
              .mask = Mask{"thing", "fieldMask"}},
    Operation{.group = "more",
              .name = "chat",
              .method = "POST",
              .path = "/v1/more/chat",
              .summary = "Talk more.",
              .composer = Composer::Chat,
              .streams = true,
              .answer = k_document,
              .events = k_stream_events},
    Operation{.group = "more",
              .name = "respond",
              .method = "POST",
              .path = "/v1/more/respond",
              .summary = "Respond more.",
              .composer = Composer::Responses,
              .streams = true,
              .events = k_one_event},
    Operation{.group = "more",
              .name = "complete",
              .method = "POST",
              .path = "/v1/more/complete",
              .summary = "Complete more.",
              .composer = Composer::Prompt},
    Operation{.group = "more",
              .name = "search",
              .method = "POST",
              .path = "/api/mcp",
              .summary = "Search more.",
              .host = Host::Docs,
              .tool = "search_docs",
              .answer = k_document},
    Operation{.group = "more",
              .name = "get",
              .method = "POST",
              .path = "/api/mcp",
              .summary = "Get more.",
              .host = Host::Docs,
              .fields = std::span(k_kinds_fields).subspan(6, 1),
              .tool = "get_doc",
              .answer = k_document},
    Operation{.group = "more",
              .name = "edit",
              .method = "POST",
              .path = "/v1/more/edit",
              .summary = "Edit more.",
              .fields = k_edit_fields,
              .reply = Reply::Bytes,
              .rules = k_edit_rules,
              .answer = k_document},
    Operation{.group = "more",
              .name = "talk",
              .method = "GET",
              .path = "/v1/more/{call_id}/live",
              .summary = "Talk live.",
              .host = Host::Realtime,
              .fields = k_query_fields,
              .reply = Reply::Socket,
              .events = k_socket_events}};

constexpr std::array k_more_group = {Group{"more", "Work with more.", k_more},
                                     Group{"lookup", "Look something up.", test::k_lookup}};

json document_of(std::span<const Group> groups) {
  return json::parse(openapi_document(groups, "1.2.3"));
}

json operation_at(const char* path, const char* method) {
  return document_of(k_more_group)["paths"][path][method];
}

json body_at(const char* path, const char* method) {
  return operation_at(path, method)["requestBody"]["content"]["application/json"]["schema"];
}

}  // namespace

TEST_CASE("the frame of an OpenAPI document") {
  json document = document_of(k_more_group);
  CHECK(document["paths"].size() == 10);
  CHECK(document["components"]["responses"]["Refusal"]["description"] ==
        "An error, as plain text or an object.");
  CHECK(document["components"]["schemas"].size() == 1);  // of errors
  document.erase("paths");
  document["components"].erase("responses");
  document["components"].erase("schemas");
  CHECK(document == json::parse(R"({"openapi":"3.1.0",
    "info":{"title":"svc","version":"1.2.3",
            "description":"Every operation of the command-line tool svc, from its catalogue.",
            "license":{"name":"Apache-2.0","identifier":"Apache-2.0"}},
    "servers":[{"url":"{base_url}","description":"SVC_BASE_URL",
                "variables":{"base_url":{"default":"https://api.example"}}}],
    "tags":[{"name":"more","description":"Work with more."}],
    "components":{"securitySchemes":{
      "inferenceKey":{"type":"http","scheme":"bearer","description":"SVC_API_KEY"},
      "managementKey":{"type":"http","scheme":"bearer","description":"SVC_MANAGEMENT_API_KEY"}}}})"));
}

TEST_CASE("an operation of OpenAPI") {
  json made = document_of(test::k_small_catalogue)["paths"]["/v1/things"]["post"];
  CHECK(made == json::parse(R"({"operationId":"things-make","summary":"Make a thing.",
    "tags":["things"],
    "servers":[{"url":"{base_url}","description":"SVC_BASE_URL",
                "variables":{"base_url":{"default":"https://api.example"}}}],
    "description":"Make a thing.","security":[{"inferenceKey":[]}],
    "requestBody":{"required":true,"content":{"application/json":{"schema":{"type":"object",
      "properties":{
        "text":{"type":"string","description":"What to make."},
        "count":{"type":"integer","minimum":1,"maximum":4,"description":"How many."},
        "store":{"type":"boolean","description":"Keep it."},
        "tier":{"type":"string","enum":["slow","fast"],"description":"How fast."},
        "shape":{"type":"string","enum":["circle","square","triangle","hexagon","octagon","star"],
                 "description":"Its shape."},
        "mood":{"type":"string","maxLength":64,"description":"Its mood."},
        "tools":{"type":"array","items":{},"maxItems":3,"description":"Its tools."},
        "old_count":{"type":"integer","minimum":0,"description":"The old name of --count.",
                     "deprecated":true},
        "extra":{"type":"string","description":"Nothing. The service ignores it."},
        "magic":{"type":"string","description":"Magic. The service does not support it."}}}}}},
    "responses":{"200":{"description":"The response."},
                 "4XX":{"$ref":"#/components/responses/Refusal"},
                 "default":{"$ref":"#/components/responses/Refusal"}},
    "x-rules":[{"rule":"excludes","field":{"member":"tier"},"other":{"member":"shape"},
                "reason":"A shape has its own speed."}],
    "x-command":"svc things make"})"));
  made = document_of(test::k_small_catalogue)["paths"]["/v1/things/{thing_id}"]["delete"];
  CHECK(made["servers"] == json::parse(R"([{"url":"{management_url}",
    "description":"SVC_MANAGEMENT_URL",
    "variables":{"management_url":{"default":"https://management.example"}}}])"));
  CHECK(made["security"] == json::parse(R"([{"managementKey":[]}])"));
  CHECK(made["parameters"] == json::parse(R"([{"name":"thing_id","in":"path","required":true,
    "description":"The id of the thing.","schema":{"type":"string"}}])"));
  CHECK(made["requestBody"]["content"]["application/json"]["schema"]["required"] ==
        json({"reason"}));
  CHECK(made["description"].get<std::string>().starts_with(
      "Delete a thing. A deleted thing is gone. "));
}

TEST_CASE("the parameters of a list, and rules for values") {
  const json list = operation_at("/v1/more/{team_id}/all", "get");
  CHECK(list["operationId"] == "more-list");  // the first command of a request
  CHECK(list["parameters"] == json::parse(R"([
    {"name":"tag","in":"query","required":false,"description":"A tag.",
     "schema":{"type":"array","items":{"type":"string"},"maxItems":5}},
    {"name":"size","in":"query","required":true,"description":"A size.","deprecated":true,
     "schema":{"type":"integer","enum":[1,2]}},
    {"name":"team_id","in":"query","required":false,
     "description":"Team ID, if the key does not determine the team.","schema":{"type":"string"}},
    {"name":"limit","in":"query","required":false,"description":"Number of items per page.",
     "schema":{"type":"integer","minimum":1,"maximum":50}},
    {"name":"page_token","in":"query","required":false,
     "description":"Page token from the previous response.","schema":{"type":"string"}}])"));
  CHECK(list["x-rules"] ==
        json::parse(R"([{"rule":"requires","field":{"member":"size","values":["1","2"]},
                         "other":{"member":"tag"},"reason":"A tag needs a size."}])"));
  CHECK(list["responses"]["200"] == json::parse(R"({"description":"The response.",
    "content":{"application/json":{"schema":{"type":"object",
      "properties":{"id":{"type":"string","description":"The ID."}},"required":["id"]}}}})"));
}

TEST_CASE("the members of a body, by their kinds") {
  CHECK(operation_at("/v1/more", "put")["deprecated"] == true);
  CHECK(body_at("/v1/more", "put") == json::parse(R"({"type":"object","properties":{
    "share":{"type":"number","minimum":-0.5,"maximum":2,"description":"A share."},
    "time":{"type":"string","format":"date-time","description":"A time."},
    "price":{"type":"object","properties":{"val":{"type":"string","description":"Cents."}},
             "required":["val"],"description":"A price."},
    "key":{"type":"string","description":"A key."},
    "wait":{"type":"string","description":"A wait."},
    "pause":{"type":"integer","minimum":0,"maximum":9,"description":"A pause."},
    "day":{"type":"string","format":"date","description":"A day."},
    "land":{"type":"string","pattern":"^[A-Z]{2}$","description":"A land."},
    "deep":{"type":"object","properties":{
      "tier":{"type":["string","null"],"enum":["slow","fast",null],"description":"A tier."},
      "tokens":{"type":"string","description":"Tokens."}},"required":["tier"]},
    "call":{"description":"A call."},
    "team_id":{"type":"string","description":"Team ID, if the key does not determine the team."}},
    "required":["deep"]})"));
  CHECK(operation_at("/v1/more/form", "post")["requestBody"] ==
        json::parse(R"({"required":true,"content":{"multipart/form-data":{"schema":{"type":"object",
          "properties":{"purpose":{"type":"string","description":"Its purpose."},
                        "file":{"type":"string","format":"binary","description":"A file."}},
          "required":["file"]}}}})"));
  CHECK(operation_at("/v1/more/form", "post")["responses"]["200"] ==
        json::parse(R"({"description":"The file's bytes.",
                        "content":{"application/octet-stream":{}}})"));
}

TEST_CASE("bodies that follow from the operation") {
  CHECK(body_at("/v1/more/mask", "patch") == json::parse(R"({"type":"object","properties":{
    "thing":{"type":"object","properties":{"deep":{"type":"object","properties":{"tier":
      {"type":["string","null"],"enum":["slow","fast",null],"description":"A tier."}}}}},
    "fieldMask":{"type":"object","properties":{
      "paths":{"type":"array","items":{"type":"string"}}}}},
    "required":["thing","fieldMask"]})"));
  CHECK(body_at("/v1/more/mask", "put")["properties"]["fieldMask"] ==
        json::parse(R"({"type":"string","description":"Names of the fields to change."})"));
  CHECK(body_at("/v1/more/chat", "post") == json::parse(R"({"type":"object","properties":{
    "messages":{"type":"array","description":"The conversation, the oldest message first.",
      "items":{"type":"object","properties":{"role":{"type":"string"}},"required":["role"]}}},
    "required":["messages"]})"));
  CHECK(body_at("/v1/more/respond", "post") == json::parse(R"({"type":"object","properties":{
    "input":{"type":["string","array"],"items":{},
             "description":"A string, or an array of input items."}},
    "required":["input"]})"));
  CHECK(body_at("/v1/more/complete", "post") == json::parse(R"({"type":"object","properties":{
    "prompt":{"type":["string","array"],"items":{"type":"string"},
              "description":"A string, or an array of strings."}}})"));
  const json tools = body_at("/api/mcp", "post");
  REQUIRE(tools["oneOf"].size() == 2);
  CHECK(tools["oneOf"][0] == json::parse(R"({"type":"object","properties":{
    "jsonrpc":{"const":"2.0"},"id":{"type":["integer","string"]},"method":{"const":"tools/call"},
    "params":{"type":"object","properties":{"name":{"const":"search_docs"},
                                            "arguments":{"type":"object"}},
              "required":["name","arguments"]}},
    "required":["jsonrpc","id","method","params"]})"));
  CHECK(tools["oneOf"][1]["properties"]["params"]["properties"] == json::parse(R"({
    "name":{"const":"get_doc"},"arguments":{"type":"object","properties":{
      "day":{"type":"string","format":"date","description":"A day."}}}})"));
  const json search = operation_at("/api/mcp", "post");
  CHECK(search["security"] == json::parse("[{}]"));
  CHECK(search["servers"] == json::parse(R"([{"url":"{docs_url}","description":"SVC_DOCS_URL",
    "variables":{"docs_url":{"default":"https://docs.example"}}}])"));
  CHECK(search["responses"]["200"]["content"]["application/json"]["schema"] == json::parse(R"({
    "type":"object","properties":{
      "jsonrpc":{"const":"2.0"},"id":{"type":["integer","string","null"]},
      "result":{"type":"object","properties":{"id":{"type":"string","description":"The ID."}},
                "required":["id"]},
      "error":{"type":"object","properties":{"code":{"type":"integer"},
                                             "message":{"type":"string"}},
               "required":["code","message"]}},
    "required":["jsonrpc","id"]})"));
}

TEST_CASE("what the service requires of a body, and members that are built from files") {
  CHECK(body_at("/v1/more/edit", "post") == json::parse(R"({"type":"object","properties":{
    "picture":{"type":"object","description":"A picture.",
               "properties":{"url":{"type":"string"},"file_id":{"type":"string"}}},
    "frame":{"type":"object","properties":{"url":{"type":"string","description":"Its URL."}}},
    "source":{"type":"object","required":["ids"],
              "properties":{"ids":{"type":"string","description":"Sources."}}},
    "format":{"type":"object","required":["codec"],
              "properties":{"codec":{"type":"string","description":"A codec."}}},
    "group":{"anyOf":[{"type":"object","required":["a"]},{"type":"object","required":["b"]}],
             "description":"A group."},
    "keys":{"type":"object","required":["deep"],
            "properties":{"deep":{"type":"object","required":["key"]}},"description":"Keys."}},
    "anyOf":[{"required":["picture"]},{"required":["pictures"]}],
    "required":["source","frame"]})"));
  const json edit = operation_at("/v1/more/edit", "post");
  CHECK(edit["x-rules"] == json::parse(R"([{"rule":"excludes","field":{"member":"picture"},
    "other":{"member":"sounds"},"reason":"One of them."},
    {"rule":"excludes","field":{"member":"frame"},"other":{"member":"frame.url"},
     "reason":"One of them."}])"));
  CHECK(edit["responses"]["200"]["content"].size() == 2);
  CHECK(edit["responses"]["200"]["content"]["application/json"]["schema"]["required"] ==
        json{"id"});
}

TEST_CASE("streams and sockets") {
  CHECK(operation_at("/v1/more/chat", "post")["responses"]["200"]["content"]["text/event-stream"] ==
        json::parse(R"({"schema":{"type":"string","description":"Server-sent events.",
          "x-event-data":{"anyOf":[
            {"type":"object","properties":{"text":{"type":"string"},"type":{"const":"delta"}},
             "required":["text"],"description":"A part."},
            {"type":"object","properties":{"type":{"const":"done"}}}]}}})"));
  const json respond = operation_at("/v1/more/respond", "post")["responses"]["200"];
  CHECK(respond["content"].size() == 1);
  CHECK(respond["content"]["text/event-stream"]["schema"]["x-event-data"] ==
        json::parse(R"({"type":"object","properties":{"text":{"type":"string"}},
                        "required":["text"]})"));
  const json talk = operation_at("/v1/more/{call_id}/live", "get");
  CHECK(talk["servers"] == json::parse(R"([{"url":"{realtime_url}",
    "description":"SVC_REALTIME_URL",
    "variables":{"realtime_url":{"default":"wss://api.example"}}}])"));
  CHECK_FALSE(talk.contains("requestBody"));
  CHECK(talk["parameters"].back() == json::parse(R"({"name":"call_id","in":"path",
    "required":true,"schema":{"type":"string"}})"));
  CHECK(talk["responses"]["101"] ==
        json::parse(R"({"description":"The connection is upgraded to a WebSocket."})"));
}

TEST_CASE("an AsyncAPI document") {
  CHECK(json::parse(asyncapi_document(k_more_group, "1.2.3")) == json::parse(R"({
    "asyncapi":"3.0.0",
    "info":{"title":"svc","version":"1.2.3",
            "description":"The WebSockets of the command-line tool svc's catalogue.",
            "license":{"name":"Apache-2.0"}},
    "defaultContentType":"application/json",
    "servers":{"realtime":{"host":"{realtime_host}","protocol":"wss",
      "description":"SVC_REALTIME_URL",
      "variables":{"realtime_host":{"default":"api.example"}},
      "security":[{"$ref":"#/components/securitySchemes/key"}]}},
    "channels":{"more-talk":{"address":"/v1/more/{call_id}/live","title":"svc more talk",
      "summary":"Talk live.",
      "messages":{
        "more-talk.client.say":{"$ref":"#/components/messages/more-talk.client.say"},
        "more-talk.service.said":{"$ref":"#/components/messages/more-talk.service.said"},
        "more-talk.client.audio":{"$ref":"#/components/messages/more-talk.client.audio"}},
      "parameters":{"call_id":{}},
      "bindings":{"ws":{"method":"GET","bindingVersion":"0.1.0","query":{"type":"object",
        "properties":{"tag":{"type":"array","items":{"type":"string"},"maxItems":5,
                             "description":"A tag."},
                      "size":{"type":"integer","enum":[1,2],"description":"A size."}}}}}}},
    "operations":{
      "more-talk.receive":{"action":"receive","channel":{"$ref":"#/channels/more-talk"},
        "messages":[{"$ref":"#/channels/more-talk/messages/more-talk.service.said"}]},
      "more-talk.send":{"action":"send","channel":{"$ref":"#/channels/more-talk"},
        "messages":[{"$ref":"#/channels/more-talk/messages/more-talk.client.say"},
                    {"$ref":"#/channels/more-talk/messages/more-talk.client.audio"}]}},
    "components":{
      "messages":{
        "more-talk.client.say":{"name":"say","contentType":"application/json",
          "summary":"Says it.",
          "payload":{"type":"object","properties":{"text":{"type":"string"},
                                                   "type":{"type":"string","const":"say"}},
                     "required":["text","type"]}},
        "more-talk.service.said":{"name":"said","contentType":"application/json",
          "payload":{"type":"object","properties":{"text":{"type":"string"},
                                                   "type":{"type":"string","const":"said"}},
                     "required":["text","type"]}},
        "more-talk.client.audio":{"name":"audio","contentType":"application/octet-stream",
          "payload":{"type":"string","format":"binary"}}},
      "schemas":{},
      "securitySchemes":{"key":{"type":"http","scheme":"bearer","description":"SVC_API_KEY"}}}})"));
}

}  // namespace svc::docgen
