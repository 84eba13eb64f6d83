#include "docgen/openapi.h"

#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "docgen/describe.h"
#include "docgen/openapi_schema.h"
#include "json/document.h"

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
  OrderedJson schema = schema_of(field);
  if (field.repeated && place == "query") {
    schema = {{"type", "array"}, {"items", std::move(schema)}};
    if (field.max_count != 0) schema["maxItems"] = field.max_count;
  }
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

/// The parameters, those of the path that no field names (the team's id) included.
OrderedJson parameters_of(const Operation& operation) {
  OrderedJson all = OrderedJson::array();
  std::set<sv> named;
  for (const Field& field : operation.fields) {
    if (field.alias || !named.insert(field.path).second) continue;
    if (field.in == In::Path) all.push_back(parameter_of(field, "path"));
    if (field.in == In::Query) all.push_back(parameter_of(field, "query"));
    if (field.in == In::Header) all.push_back(parameter_of(field, "header"));
    if (field.in == In::Body || field.in == In::Form) named.erase(field.path);
  }
  if (operation.team == In::Query && named.insert("team_id").second) {
    all.push_back({{"name", "team_id"},
                   {"in", "query"},
                   {"required", false},
                   {"description", "Where the key alone does not tell the team."},
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

OrderedJson responses_of(const Operation& operation) {
  const auto described = [](sv what, OrderedJson content) {
    OrderedJson response = {{"description", what}};
    if (!content.empty()) response["content"] = std::move(content);
    return response;
  };
  const OrderedJson document = {{"application/json", {{"schema", OrderedJson::object()}}}};
  OrderedJson responses = OrderedJson::object();
  switch (operation.reply) {
    case Reply::Socket:
      responses["101"] = described("The connection is a WebSocket from here on.", {});
      break;
    case Reply::Bytes:
      responses["200"] =
          described("The bytes.", {{"application/octet-stream", OrderedJson::object()}});
      break;
    default:
      responses["200"] = described("The answer.", document);
      if (operation.streams) {
        responses["200"]["content"]["text/event-stream"] = {{"schema", {{"type", "string"}}}};
      }
  }
  for (const char* status : {"4XX", "default"}) {
    responses[status] = {{"$ref", "#/components/responses/Refusal"}};
  }
  return responses;
}

OrderedJson refusal() {
  return {{"description", "An error: plain text, or an object describing it."},
          {"content",
           {{"application/json", {{"schema", OrderedJson::object()}}},
            {"text/plain", {{"schema", {{"type", "string"}}}}}}}};
}

OrderedJson operation_of(const Operation& operation) {
  const std::string command = command_name(operation);
  OrderedJson shown = {{"operationId", replace_all(command, " ", "-")},
                       {"summary", operation.summary},
                       {"tags", {operation.group}},
                       {"servers", {server_of(operation.host)}}};
  std::string notes;
  for (const std::string& remark : remarks(operation)) notes += (notes.empty() ? "" : " ") + remark;
  if (!notes.empty()) shown["description"] = notes;
  if (!operation.replaced_by.empty()) shown["deprecated"] = true;
  shown["security"] =
      operation.host == Host::Docs
          ? OrderedJson{OrderedJson::object()}
          : OrderedJson{{{std::string(scheme_of(operation.host)), OrderedJson::array()}}};
  if (const OrderedJson parameters = parameters_of(operation); !parameters.empty()) {
    shown["parameters"] = parameters;
  }
  if (const OrderedJson body = body_of(operation); !body.empty()) shown["requestBody"] = body;
  shown["responses"] = responses_of(operation);
  shown["x-command"] = "svc " + command;
  return shown;
}

OrderedJson key_scheme(sv what) {
  return {{"type", "http"}, {"scheme", "bearer"}, {"description", what}};
}

}  // namespace

std::string openapi_document(std::span<const Group> groups, std::string_view version) {
  OrderedJson document = {
      {"openapi", "3.1.0"},
      {"info",
       {{"title", "svc"},
        {"version", version},
        {"description",
         "Every operation that the command-line tool svc makes, from its catalogue."},
        {"license", {{"name", "Apache-2.0"}, {"identifier", "Apache-2.0"}}}}},
      {"servers", {server_of(Host::Inference)}},
      {"tags", OrderedJson::array()},
      {"paths", OrderedJson::object()},
      {"components",
       {{"responses", {{"Refusal", refusal()}}},
        {"securitySchemes",
         {{"inferenceKey", key_scheme("SVC_API_KEY")},
          {"managementKey", key_scheme("SVC_MANAGEMENT_API_KEY")}}}}}};
  for (const Group& group : groups) {
    bool any = false;
    for (const Operation& operation : group.operations) {
      if (operation.host == Host::Local) continue;
      // Waiting asks as getting does, and one address serves all tools.
      std::string method = to_lower(operation.method);
      OrderedJson& path = document["paths"][std::string(operation.path)];
      if (path.contains(method)) continue;
      path[method] = operation_of(operation);
      any = true;
    }
    if (any) document["tags"].push_back({{"name", group.name}, {"description", group.summary}});
  }
  return compact_json(document);
}

}  // namespace svc::docgen
