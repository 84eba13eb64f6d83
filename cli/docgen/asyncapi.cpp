#include "docgen/asyncapi.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "docgen/member_schema.h"
#include "docgen/openapi.h"
#include "json/document.h"

namespace svc::docgen {
namespace {

/// "realtime-talk.session.update", which a component's name may contain.
std::string message_name(const Operation& operation, const StreamEvent& event) {
  std::string name = replace_all(command_name(operation), " ", "-");
  return fmt::format("{}.{}{}", name, event.from_client ? "client." : "service.",
                     event.name.empty() ? "audio" : event.name);
}

OrderedJson payload_of(const StreamEvent& event, MemberSchemas& schemas) {
  if (event.name.empty()) return {{"type", "string"}, {"format", "binary"}};
  OrderedJson payload = schemas.object(event.members);
  payload["properties"]["type"] = {{"type", "string"}, {"const", event.name}};
  require_member(payload, "type");
  return payload;
}

/// Events have a type; a message without one is audio in bytes.
OrderedJson message_of(const StreamEvent& event, MemberSchemas& schemas) {
  const bool bytes = event.name.empty();
  OrderedJson message = {{"name", bytes ? "audio" : event.name},
                         {"contentType", bytes ? "application/octet-stream" : "application/json"},
                         {"payload", payload_of(event, schemas)}};
  if (!event.help.empty()) message["summary"] = event.help;
  return message;
}

/// The path's parameters, which a channel must declare.
OrderedJson path_parameters_of(const Operation& operation) {
  OrderedJson parameters = OrderedJson::object();
  for (std::size_t at = operation.path.find('{'); at != sv::npos;
       at = operation.path.find('{', at + 1)) {
    const sv name = operation.path.substr(at + 1, operation.path.find('}', at) - at - 1);
    parameters[std::string(name)] = OrderedJson::object();
  }
  return parameters;
}

/// The query of the request that opens the socket.
OrderedJson query_of(const Operation& operation) {
  OrderedJson properties = OrderedJson::object();
  for (const Field& field : operation.fields) {
    if (field.in != In::Query || field.alias) continue;
    properties[std::string(field.path)] = values_schema(field);
    properties[std::string(field.path)]["description"] = field.help;
  }
  return {{"type", "object"}, {"properties", std::move(properties)}};
}

/// Removes OpenAPI's discriminators, which AsyncAPI writes in another way: unions are still told
/// apart by the constants of their tags.
void remove_discriminators(OrderedJson& schema) {
  if (schema.is_object() && schema.contains("oneOf")) schema.erase("discriminator");
  if (!schema.is_structured()) return;
  for (OrderedJson& inner : schema) remove_discriminators(inner);
}

class Document {
 public:
  explicit Document(std::string_view version)
      : m_document({{"asyncapi", "3.0.0"},
                    {"info",
                     {{"title", "svc"},
                      {"version", version},
                      {"description", "The WebSockets of the command-line tool svc's catalogue."},
                      {"license", {{"name", "Apache-2.0"}}}}},
                    {"defaultContentType", "application/json"},
                    {"servers",
                     {{"realtime",
                       {{"host", "{realtime_host}"},
                        {"protocol", "wss"},
                        {"description", "SVC_REALTIME_URL"},
                        {"variables", {{"realtime_host", {{"default", "api.example"}}}}},
                        {"security", {{{"$ref", "#/components/securitySchemes/key"}}}}}}}},
                    {"channels", OrderedJson::object()},
                    {"operations", OrderedJson::object()}}) {}

  void add(const Operation& operation) {
    const std::string name = replace_all(command_name(operation), " ", "-");
    OrderedJson channel = {{"address", operation.path},
                           {"title", fmt::format("svc {}", command_name(operation))},
                           {"summary", operation.summary}};
    OrderedJson received = OrderedJson::array();
    OrderedJson sent = OrderedJson::array();
    for (const StreamEvent& event : operation.events) {
      const std::string message = message_name(operation, event);
      m_messages[message] = message_of(event, m_schemas);
      channel["messages"][message] = {{"$ref", "#/components/messages/" + message}};
      (event.from_client ? sent : received)
          .push_back({{"$ref", fmt::format("#/channels/{}/messages/{}", name, message)}});
    }
    if (OrderedJson parameters = path_parameters_of(operation); !parameters.empty()) {
      channel["parameters"] = std::move(parameters);
    }
    channel["bindings"] = {
        {"ws", {{"method", "GET"}, {"query", query_of(operation)}, {"bindingVersion", "0.1.0"}}}};
    m_document["channels"][name] = std::move(channel);
    // From the point of view of a client: it sends what the service receives.
    add_side(name, "receive", std::move(received));
    add_side(name, "send", std::move(sent));
  }

  std::string take() {
    remove_discriminators(m_messages);
    remove_discriminators(m_shapes);
    m_document["components"] = {
        {"messages", std::move(m_messages)},
        {"schemas", std::move(m_shapes)},
        {"securitySchemes",
         {{"key", {{"type", "http"}, {"scheme", "bearer"}, {"description", "SVC_API_KEY"}}}}}};
    return compact_json(m_document);
  }

 private:
  void add_side(const std::string& channel, sv action, OrderedJson messages) {
    if (messages.empty()) return;
    m_document["operations"][fmt::format("{}.{}", channel, action)] = {
        {"action", action},
        {"channel", {{"$ref", "#/channels/" + channel}}},
        {"messages", std::move(messages)}};
  }

  OrderedJson m_document;
  OrderedJson m_messages = OrderedJson::object();
  OrderedJson m_shapes = OrderedJson::object();
  MemberSchemas m_schemas{Strictness::Documented, &m_shapes};
};

}  // namespace

std::string asyncapi_document(std::span<const Group> groups, std::string_view version) {
  Document document(version);
  for (const Group& group : groups) {
    for (const Operation& operation : group.operations) {
      if (operation.reply == Reply::Socket && !operation.events.empty()) document.add(operation);
    }
  }
  return document.take();
}

}  // namespace svc::docgen
