#include "docgen/openapi.h"

#include <array>
#include <cmath>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "catalogue/shared_answers.h"
#include "docgen/describe.h"
#include "docgen/member_schema.h"

namespace svc::docgen {
namespace {

sv scheme_of(Host host) {
  return host == Host::Management ? "managementKey" : "inferenceKey";
}

OrderedJson server_of(Host host) {
  const auto variable = [](sv name, sv address, sv what) {
    return OrderedJson{{"url", fmt::format("{{{}}}", name)},
                       {"description", what},
                       {"variables", {{name, {{"default", address}}}}}};
  };
  switch (host) {
    case Host::Management:
      return variable("management_url", "https://management.example", "SVC_MANAGEMENT_URL");
    case Host::Realtime:
      return variable("realtime_url", "wss://api.example", "SVC_REALTIME_URL");
    case Host::Docs:
      return variable("docs_url", "https://docs.example", "SVC_DOCS_URL");
    default:
      return variable("base_url", "https://api.example", "SVC_BASE_URL");
  }
}

OrderedJson parameter_of(const Field& field, sv place) {
  OrderedJson schema = place == "query" ? values_schema(field) : schema_of(field);
  OrderedJson parameter = {{"name", field.path},
                           {"in", place},
                           {"required", place == "path" || field.required},
                           {"description", field.help},
                           {"schema", std::move(schema)}};
  if (field.status == Status::Deprecated) parameter["deprecated"] = true;
  return parameter;
}

void add_pages(const Paging& paging, OrderedJson& parameters) {
  parameters.push_back(
      {{"name", paging.limit_param},
       {"in", "query"},
       {"required", false},
       {"description", "Number of items per page."},
       {"schema", {{"type", "integer"}, {"minimum", 1}, {"maximum", paging.max_page}}}});
  parameters.push_back({{"name", paging.token_param},
                        {"in", "query"},
                        {"required", false},
                        {"description", "Page token from the previous response."},
                        {"schema", {{"type", "string"}}}});
}

/// The parameters, including path parameters without a field (the team ID).
OrderedJson parameters_of(const Operation& operation) {
  OrderedJson all = OrderedJson::array();
  std::set<sv> named;
  for (const Field& field : operation.fields) {
    if (field.alias || !named.insert(field.path).second) continue;
    if (field.in == In::Path) all.push_back(parameter_of(field, "path"));
    if (field.in == In::Query) all.push_back(parameter_of(field, "query"));
    if (field.in == In::Body || field.in == In::Form) named.erase(field.path);
  }
  if (operation.team == In::Query && named.insert("team_id").second) {
    all.push_back({{"name", "team_id"},
                   {"in", "query"},
                   {"required", false},
                   {"description", "Team ID, if the key does not determine the team."},
                   {"schema", {{"type", "string"}}}});
  }
  if (operation.paging) add_pages(*operation.paging, all);
  for (std::size_t at = operation.path.find('{'); at != sv::npos;
       at = operation.path.find('{', at + 1)) {
    const sv name = operation.path.substr(at + 1, operation.path.find('}', at) - at - 1);
    if (!named.insert(name).second) continue;
    all.push_back(
        {{"name", name}, {"in", "path"}, {"required", true}, {"schema", {{"type", "string"}}}});
  }
  return all;
}

/// The media type and the schema of the events of a stream.
OrderedJson stream_of(const Operation& operation, MemberSchemas& schemas) {
  OrderedJson any = OrderedJson::array();
  for (const StreamEvent& event : operation.events) {
    OrderedJson schema = schemas.object(event.members);
    if (!event.name.empty()) schema["properties"]["type"] = {{"const", event.name}};
    if (!event.help.empty()) schema["description"] = event.help;
    any.push_back(std::move(schema));
  }
  OrderedJson schema = {{"type", "string"}, {"description", "Server-sent events."}};
  if (!any.empty()) schema["x-event-data"] = any.size() == 1 ? any[0] : OrderedJson{{"anyOf", any}};
  return {{"schema", std::move(schema)}};
}

/// The result of a documentation tool, as JSON-RPC 2.0 answers.
OrderedJson rpc_answer(OrderedJson result) {
  return {{"type", "object"},
          {"properties",
           {{"jsonrpc", {{"const", "2.0"}}},
            {"id", {{"type", {"integer", "string", "null"}}}},
            {"result", std::move(result)},
            {"error",
             {{"type", "object"},
              {"properties", {{"code", {{"type", "integer"}}}, {"message", {{"type", "string"}}}}},
              {"required", {"code", "message"}}}}}},
          {"required", {"jsonrpc", "id"}}};
}

OrderedJson responses_of(const Operation& operation, MemberSchemas& schemas) {
  const auto described = [](sv what, OrderedJson content) {
    OrderedJson response = {{"description", what}};
    if (!content.empty()) response["content"] = std::move(content);
    return response;
  };
  OrderedJson schema =
      operation.answer.empty() ? OrderedJson::object() : schemas.object(operation.answer);
  if (!operation.tool.empty()) schema = rpc_answer(std::move(schema));
  const OrderedJson document = {{"application/json", {{"schema", std::move(schema)}}}};
  OrderedJson responses = OrderedJson::object();
  switch (operation.reply) {
    case Reply::Socket:
      responses["101"] = described("The connection is upgraded to a WebSocket.", {});
      break;
    case Reply::Bytes:
      responses["200"] =
          described("The file's bytes.", {{"application/octet-stream", OrderedJson::object()}});
      if (!operation.answer.empty()) responses["200"]["content"].update(document);
      break;
    default:
      responses["200"] =
          described("The response.", operation.answer.empty() ? OrderedJson() : document);
      if (operation.streams) {
        responses["200"]["content"]["text/event-stream"] = stream_of(operation, schemas);
      }
  }
  for (const char* status : {"4XX", "default"}) {
    responses[status] = {{"$ref", "#/components/responses/Refusal"}};
  }
  return responses;
}

OrderedJson refusal(MemberSchemas& schemas) {
  return {{"description", "An error, as plain text or an object."},
          {"content",
           {{"application/json", {{"schema", schemas.object(catalogue::answer::k_error.members)}}},
            {"text/plain", {{"schema", {{"type", "string"}}}}}}}};
}

/// Rules between fields, which a schema cannot state for flags that are combined into one member.
OrderedJson rules_of(const Operation& operation) {
  OrderedJson rules = OrderedJson::array();
  for (const Rule& rule : operation.rules) {
    const auto member = [&](sv one) -> sv {
      const Field* field = find_field(operation, rule_flag(one));
      if (field == nullptr || field->in == In::Local) return {};
      if (!field->media) return field->path;
      return field->media->one.empty() ? field->media->many : field->media->one;
    };
    const auto side = [&](sv one) {
      OrderedJson named = {{"member", member(one)}};
      if (!rule_values(one).empty()) {
        for (const sv value : split(rule_values(one), '|')) named["values"].push_back(value);
      }
      return named;
    };
    // Flags that only svc has are left out, as are two flags of one member.
    const sv one = member(rule.flag);
    if (one.empty() || member(rule.other).empty()) continue;
    if (one == member(rule.other) && rule.kind == RuleKind::Excludes) continue;
    rules.push_back({{"rule", k_rule_words[static_cast<std::size_t>(rule.kind)]},
                     {"field", side(rule.flag)},
                     {"other", side(rule.other)},
                     {"reason", rule.why}});
  }
  return rules;
}

OrderedJson operation_of(const Operation& operation, MemberSchemas& schemas) {
  const std::string command = command_name(operation);
  OrderedJson shown = {{"operationId", replace_all(command, " ", "-")},
                       {"summary", operation.summary},
                       {"tags", {operation.group}},
                       {"servers", {server_of(operation.host)}}};
  std::string notes(operation.summary);
  for (const std::string& remark : remarks(operation)) notes += " " + remark;
  if (operation.source == Source::Observed) notes += fmt::format(" {}", k_observed_meaning);
  shown["description"] = notes;
  if (!operation.replaced_by.empty()) shown["deprecated"] = true;
  shown["security"] =
      operation.host == Host::Docs
          ? OrderedJson::array({OrderedJson::object()})
          : OrderedJson{{{std::string(scheme_of(operation.host)), OrderedJson::array()}}};
  if (const OrderedJson parameters = parameters_of(operation); !parameters.empty()) {
    shown["parameters"] = parameters;
  }
  if (const OrderedJson body = body_of(operation); !body.empty()) shown["requestBody"] = body;
  shown["responses"] = responses_of(operation, schemas);
  if (OrderedJson rules = rules_of(operation); !rules.empty()) shown["x-rules"] = std::move(rules);
  shown["x-command"] = "svc " + command;
  return shown;
}

OrderedJson key_scheme(sv what) {
  return {{"type", "http"}, {"scheme", "bearer"}, {"description", what}};
}

/// Writes integers without a decimal point: 1, not 1.0.
OrderedJson bound(double value) {
  if (value == std::floor(value)) return static_cast<std::int64_t>(value);
  return value;
}

OrderedJson number_schema(const Field& field, sv type) {
  OrderedJson schema = {{"type", type}};
  if (field.range) {
    schema["minimum"] = bound(field.range->min);
    if (field.range->max < k_no_max) schema["maximum"] = bound(field.range->max);
  }
  for (const sv choice : field.choices) {
    if (const auto number = parse_integer(choice)) schema["enum"].push_back(*number);
  }
  return schema;
}

OrderedJson text_schema(const Field& field) {
  OrderedJson schema = {{"type", "string"}};
  if (field.form == TextFormat::Day) schema["format"] = "date";
  if (field.form == TextFormat::Country) schema["pattern"] = "^[A-Z]{2}$";
  if (field.max_length != 0) schema["maxLength"] = field.max_length;
  if (!field.choices.empty()) {
    for (const sv choice : field.choices) schema["enum"].push_back(choice);
  }
  return schema;
}

/// Requires the last member of the path in its object; `whole`: each part of the path.
void add_required(OrderedJson& schema, sv path, bool whole = true) {
  const std::vector<sv> names = split(path, '.');
  OrderedJson* at = &schema;
  for (const sv name : names) {
    if (at->is_null()) *at = {{"type", "object"}};
    const bool last = name.data() == names.back().data();
    if (whole || last) require_member(*at, name);
    if (!last) at = &(*at)["properties"][std::string(name)];
  }
}

/// JSON whose structure the documentation leaves open, but for the members that one of must be
/// there.
OrderedJson needy_schema(const Field& field) {
  OrderedJson any = OrderedJson::array();
  for (const sv path : split(field.needs, '|')) {
    OrderedJson schema = {{"type", "object"}};
    if (!path.empty()) add_required(schema, path);
    if (!path.empty()) any.push_back(std::move(schema));
  }
  if (any.empty()) return OrderedJson::object();
  return any.size() == 1 ? OrderedJson(any[0]) : OrderedJson{{"anyOf", std::move(any)}};
}

OrderedJson plain_schema(const Field& field) {
  if (field.quoted || !field.wraps.empty()) {
    return field.quoted ? OrderedJson{{"type", "string"}} : OrderedJson::object();
  }
  switch (field.kind) {
    case Kind::Integer:
      return number_schema(field, "integer");
    case Kind::Number:
      return number_schema(field, "number");
    case Kind::Boolean:
      return OrderedJson{{"type", "boolean"}};
    case Kind::Duration:
      return field.unit_ms == 0 ? OrderedJson{{"type", "string"}} : number_schema(field, "integer");
    case Kind::Time:
      return {{"type", "string"}, {"format", "date-time"}};
    case Kind::Money:
      return {{"type", "object"},
              {"properties", {{"val", {{"type", "string"}, {"description", "Cents."}}}}},
              {"required", {"val"}}};
    case Kind::Text:
      return text_schema(field);
    case Kind::Secret:
    case Kind::File:
      return OrderedJson{{"type", "string"}};
    default:
      return needy_schema(field);
  }
}

/// Returns the subschema at a dotted path below `schema`; missing objects are created.
OrderedJson& place_of(OrderedJson& schema, sv path) {
  OrderedJson* at = &schema;
  for (const sv name : split(path, '.')) {
    (*at)["type"] = "object";
    at = &(*at)["properties"][std::string(name)];
  }
  return *at;
}

/// What the service requires of the body's field.
void add_demands(OrderedJson& schema, const Field& field, const std::string& path) {
  if (field.required) add_required(schema, path);
  if (field.demanded) add_required(schema, path, false);
}

OrderedJson described(const Field& field) {
  OrderedJson schema = values_schema(field);
  schema["description"] = field.help;
  if (field.status == Status::Deprecated) schema["deprecated"] = true;
  if (field.status == Status::Ignored || field.status == Status::Unsupported) {
    schema["description"] = std::string(field.help) + (field.status == Status::Ignored
                                                           ? " The service ignores it."
                                                           : " The service does not support it.");
  }
  return schema;
}

/// Adds the fields that a composer builds from several flags.
void add_composed(const Operation& operation, OrderedJson& schema) {
  const auto messages = [](sv what) {
    return OrderedJson{{"type", "array"},
                       {"description", what},
                       {"items",
                        {{"type", "object"},
                         {"properties", {{"role", {{"type", "string"}}}}},
                         {"required", {"role"}}}}};
  };
  switch (operation.composer) {
    case Composer::Chat:
    case Composer::Messages:
      place_of(schema, "messages") = messages("The conversation, the oldest message first.");
      add_required(schema, "messages");
      break;
    case Composer::Responses:
      place_of(schema, "input") = {{"type", {"string", "array"}},
                                   {"items", OrderedJson::object()},
                                   {"description", "A string, or an array of input items."}};
      add_required(schema, "input");
      break;
    case Composer::Prompt:
      place_of(schema, "prompt") = {{"type", {"string", "array"}},
                                    {"items", {{"type", "string"}}},
                                    {"description", "A string, or an array of strings."}};
      break;
    case Composer::Collection:
    case Composer::None:
      break;
  }
}

/// Adds the members that are built from paths, URLs and file IDs.
void add_media(const Operation& operation, OrderedJson& schema) {
  for (const Field& field : operation.fields) {
    if (!field.media) continue;
    const auto [one, many, types, max_bytes] = *field.media;
    if (!one.empty() && !schema["properties"].contains(std::string(one))) {
      place_of(schema, fmt::format("{}.url", one)) = {{"type", "string"}};
      place_of(schema, fmt::format("{}.file_id", one)) = {{"type", "string"}};
      place_of(schema, one)["description"] = field.help;
    }
    if (!field.required) continue;
    if (many.empty()) {
      add_required(schema, one);
    } else {
      schema["anyOf"] = {{{"required", {one}}}, {{"required", {many}}}};
    }
  }
}

/// A call of a documentation tool by JSON-RPC, with the body as its arguments.
OrderedJson rpc_call(const Operation& operation, OrderedJson arguments) {
  const OrderedJson text = {{"type", "string"}};
  if (arguments.empty()) arguments = {{"type", "object"}};
  return {{"type", "object"},
          {"properties",
           {{"jsonrpc", {{"const", "2.0"}}},
            {"id", {{"type", {"integer", "string"}}}},
            {"method", {{"const", "tools/call"}}},
            {"params",
             {{"type", "object"},
              {"properties",
               {{"name", {{"const", operation.tool}}}, {"arguments", std::move(arguments)}}},
              {"required", {"name", "arguments"}}}}}},
          {"required", {"jsonrpc", "id", "method", "params"}}};
}

/// The members that follow from the operation: the mask of an update, the configured team.
void add_derived(const Operation& operation, OrderedJson& body) {
  if (operation.mask) {
    OrderedJson names = {{"type", "string"}, {"description", "Names of the fields to change."}};
    if (operation.mask->form == MaskForm::Paths) {
      names = {{"type", "object"},
               {"properties", {{"paths", {{"type", "array"}, {"items", {{"type", "string"}}}}}}}};
    }
    place_of(body, operation.mask->member) = std::move(names);
    add_required(body, operation.mask->wrapper);
    add_required(body, operation.mask->member);
  }
  if (operation.team == In::Body && !body["properties"].contains("team_id")) {
    place_of(body, "team_id") = {
        {"type", "string"}, {"description", "Team ID, if the key does not determine the team."}};
  }
}

/// Adds another documentation tool to the operation of their path.
void add_tool(OrderedJson& shown, const Operation& operation) {
  const auto schema_in = [](OrderedJson& body) -> OrderedJson& {
    return body["content"]["application/json"]["schema"];
  };
  OrderedJson& schema = schema_in(shown["requestBody"]);
  if (!schema.contains("oneOf")) schema = {{"oneOf", OrderedJson::array({schema})}};
  OrderedJson body = body_of(operation);
  schema["oneOf"].push_back(std::move(schema_in(body)));
}

}  // namespace

std::string openapi_document(std::span<const Group> groups, std::string_view version) {
  OrderedJson shapes = OrderedJson::object();
  MemberSchemas schemas(Strictness::Documented, &shapes);
  OrderedJson document = {
      {"openapi", "3.1.0"},
      {"info",
       {{"title", "svc"},
        {"version", version},
        {"description", "Every operation of the command-line tool svc, from its catalogue."},
        {"license", {{"name", "Apache-2.0"}, {"identifier", "Apache-2.0"}}}}},
      {"servers", {server_of(Host::Inference)}},
      {"tags", OrderedJson::array()},
      {"paths", OrderedJson::object()},
      {"components",
       {{"schemas", OrderedJson::object()},
        {"responses", {{"Refusal", refusal(schemas)}}},
        {"securitySchemes",
         {{"inferenceKey", key_scheme("SVC_API_KEY")},
          {"managementKey", key_scheme("SVC_MANAGEMENT_API_KEY")}}}}}};
  for (const Group& group : groups) {
    bool any = false;
    for (const Operation& operation : group.operations) {
      if (operation.host == Host::Local) continue;
      // Several commands share a request: `wait` polls what `get` reads, and all documentation
      // tools have one path.
      std::string method = to_lower(operation.method);
      OrderedJson& path = document["paths"][std::string(operation.path)];
      const bool is_new = !path.contains(method);
      if (!is_new && !operation.tool.empty()) add_tool(path[method], operation);
      if (!is_new) continue;
      path[method] = operation_of(operation, schemas);
      any = true;
    }
    if (any) document["tags"].push_back({{"name", group.name}, {"description", group.summary}});
  }
  document["components"]["schemas"] = std::move(shapes);
  return compact_json(document);
}

OrderedJson schema_of(const Field& field) {
  OrderedJson schema = plain_schema(field);
  if (!field.null_word.empty() && schema.contains("type")) {
    schema["type"] = {schema["type"], "null"};
    if (schema.contains("enum")) schema["enum"].push_back(nullptr);
  }
  return schema;
}

OrderedJson values_schema(const Field& field) {
  const bool upload = field.in == In::Form && field.kind == Kind::File;
  if (upload) return {{"type", "string"}, {"format", "binary"}};
  if (!field.repeated) return schema_of(field);
  OrderedJson schema = {{"type", "array"}, {"items", schema_of(field)}};
  if (field.max_count != 0) schema["maxItems"] = field.max_count;
  return schema;
}

OrderedJson body_of(const Operation& operation) {
  if (operation.reply == Reply::Socket) return {};
  OrderedJson body;
  OrderedJson form;
  const std::string prefix =
      operation.mask ? std::string(operation.mask->wrapper) + "." : std::string();
  for (const Field& field : operation.fields) {
    if (field.alias || field.path.empty()) continue;
    if (field.in == In::Body) {
      const std::string path = prefix + std::string(field.path);
      place_of(body, path).update(described(field));
      if (prefix.empty()) add_demands(body, field, path);
    } else if (field.in == In::Form) {
      place_of(form, field.path).update(described(field));
      add_demands(form, field, std::string(field.path));
    }
  }
  if (!operation.tool.empty()) body = rpc_call(operation, std::move(body));
  add_composed(operation, body);
  add_media(operation, body);
  add_derived(operation, body);
  if (body.empty() && form.empty()) return {};
  const sv type = form.empty() ? "application/json" : "multipart/form-data";
  return {{"required", true}, {"content", {{type, {{"schema", form.empty() ? body : form}}}}}};
}

}  // namespace svc::docgen
