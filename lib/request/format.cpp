#include "request/format.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "request/body.h"

namespace svc::request {
namespace {

bool is_format(const Json& value) {
  const auto type = value.find("type");
  return type != value.end() && type->is_string() &&
         (*type == "text" || *type == "json_object" || *type == "json_schema");
}

}  // namespace

Result<void> shape_format(Composer composer, nlohmann::ordered_json& body) {
  const bool chat = composer == Composer::Chat;
  if (!chat && composer != Composer::Responses) return {};
  const char* path = chat ? "response_format" : "text.format";
  const Json* given = find(body, path);
  if (given == nullptr || given->is_null() || (given->is_object() && is_format(*given))) return {};
  if (given->is_string()) {
    const auto word = given->get<std::string>();
    if (word == "text" || word == "json_object") return put(body, path, Json{{"type", word}});
  }
  if (!given->is_object()) {
    return usage_error(fmt::format("--{} takes text, json_object, a JSON schema or a format object",
                                   kebab_case(path)),
                       "A schema file is given as @schema.json.");
  }
  Json schema = *given;
  Json wrapped =
      chat ? Json{{"type", "json_schema"},
                  {"json_schema", {{"name", "answer"}, {"schema", std::move(schema)}}}}
           : Json{{"type", "json_schema"}, {"name", "answer"}, {"schema", std::move(schema)}};
  return put(body, path, std::move(wrapped));
}

}  // namespace svc::request
