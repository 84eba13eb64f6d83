#include "request/format.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "json/document.h"
#include "request/body.h"

namespace svc::request {
namespace {

bool is_format(const OrderedJson& value) {
  const auto type = value.find("type");
  return type != value.end() && type->is_string() &&
         (*type == "text" || *type == "json_object" || *type == "json_schema");
}

}  // namespace

Result<void> shape_format(Composer composer, OrderedJson& body) {
  const bool chat = composer == Composer::Chat;
  if (!chat && composer != Composer::Responses) return {};
  const char* path = chat ? "response_format" : "text.format";
  const OrderedJson* given = find(body, path);
  if (given == nullptr || given->is_null() || (given->is_object() && is_format(*given))) return {};
  if (given->is_string()) {
    const auto word = given->get<std::string>();
    if (word == "text" || word == "json_object")
      return put(body, path, OrderedJson{{"type", word}});
  }
  if (!given->is_object()) {
    return usage_error(fmt::format("--{} takes text, json_object, a JSON schema or a format object",
                                   kebab_case(path)),
                       "A schema file is given as @schema.json.");
  }
  OrderedJson schema = *given;
  OrderedJson wrapped =
      chat
          ? OrderedJson{{"type", "json_schema"},
                        {"json_schema", {{"name", "answer"}, {"schema", std::move(schema)}}}}
          : OrderedJson{{"type", "json_schema"}, {"name", "answer"}, {"schema", std::move(schema)}};
  return put(body, path, std::move(wrapped));
}

}  // namespace svc::request
