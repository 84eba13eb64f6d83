#include "request/compose_collection.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "catalogue/collections_fields.h"
#include "request/body.h"
#include "request/convert.h"
#include "request/flags.h"

namespace svc::request {
namespace {

using CollectionFlags = Flags<catalogue::collections::k_create_fields>;
using UpdateFlags = Flags<catalogue::collections::k_update_fields>;

/// The unit of a strategy's sizes: "tokens" for "markdown-tokens"; ast and table also count tokens.
sv unit_of(sv strategy) {
  for (const sv unit : {sv("chars"), sv("bytes")}) {
    if (strategy.ends_with(unit)) return unit;
  }
  return "tokens";
}

bool has_overlap(sv strategy) {
  return strategy != "ast" && strategy != "table";
}

/// The strategies in the configuration.
std::vector<std::string> strategies_in(const OrderedJson& body) {
  std::vector<std::string> names;
  const OrderedJson* chunks = find(body, "chunk_configuration");
  if (chunks == nullptr || !chunks->is_object()) return names;
  for (const auto& [name, value] : chunks->items()) {
    if (sv(name).ends_with("_configuration") && !value.is_null()) names.push_back(name);
  }
  return names;
}

Result<void> put_number(const Inputs& inputs, sv flag, OrderedJson& body, const std::string& path) {
  const auto given = last_given(inputs, flag);
  if (!given) return {};
  SVC_TRY(value, convert(*given->field, given->text));
  return put(body, path, std::move(value));
}

Result<void> compose_chunks(const Inputs& inputs, OrderedJson& body) {
  const auto given = last_given(inputs, CollectionFlags::k_name<"chunk-strategy">);
  if (!given) return {};
  SVC_TRY(chosen, convert(*given->field, given->text));
  const std::string strategy = chosen.get<std::string>();
  const std::string name = replace_all(strategy, "-", "_") + "_configuration";
  const std::string path = "chunk_configuration." + name;
  const sv unit = unit_of(strategy);
  if (last_given(inputs, CollectionFlags::k_name<"chunk-overlap">) && !has_overlap(strategy)) {
    return usage_error(fmt::format("--chunk-strategy {} has no overlap", strategy));
  }
  if (last_given(inputs, CollectionFlags::k_name<"chunk-encoding">) && unit != "tokens") {
    return usage_error(
        fmt::format("--chunk-strategy {} counts {} and has no encoding", strategy, unit));
  }
  for (const std::string& other : strategies_in(body)) {
    if (other == name) continue;
    return usage_error(
        fmt::format("--chunk-strategy {} and {} cannot be combined", strategy, other),
        "A collection has exactly one strategy.");
  }
  if (find(body, path) == nullptr) SVC_CHECK(put(body, path, OrderedJson::object()));
  SVC_CHECK(put_number(inputs, CollectionFlags::k_name<"chunk-size">, body,
                       fmt::format("{}.max_chunk_size_{}", path, unit)));
  SVC_CHECK(put_number(inputs, CollectionFlags::k_name<"chunk-overlap">, body,
                       fmt::format("{}.chunk_overlap_{}", path, unit)));
  return put_number(inputs, CollectionFlags::k_name<"chunk-encoding">, body,
                    path + ".encoding_name");
}

Result<void> check_strategies(const OrderedJson& body) {
  const auto names = strategies_in(body);
  if (names.size() < 2) return {};
  return usage_error(fmt::format("chunk_configuration contains {} strategies: {}", names.size(),
                                 join(names, ", ")),
                     "A collection has exactly one.");
}

/// Parses "key[:required][:unique][:inject]", or the definition as JSON.
Result<OrderedJson> read_definition(const Given& given) {
  const std::string name = flag_name(*given.field);
  const sv text = trim(given.text);
  if (text.starts_with('{') || (text.starts_with('@') && !given.literal)) {
    SVC_TRY(json, resolve_json(name, text));
    if (json.is_object() && json.contains("key")) return std::move(json);
    return usage_error(fmt::format("{}: the field definition has no key", name));
  }
  const std::vector<sv> words = split(text, ':');
  if (words.front().empty() || first_invalid_utf8(text)) {
    return usage_error(
        fmt::format("{} must be KEY[:required][:unique][:inject], not '{}'", name, shown(text)));
  }
  OrderedJson definition = {{"key", std::string(words.front())}};
  for (std::size_t i = 1; i < words.size(); ++i) {
    const sv member = words[i] == "inject" ? sv("inject_into_chunk") : words[i];
    if (member != "required" && member != "unique" && member != "inject_into_chunk") {
      return usage_error(fmt::format("{}: unknown option '{}'; allowed: required, unique, inject",
                                     name, shown(words[i])));
    }
    definition[std::string(member)] = true;
  }
  return definition;
}

Result<void> compose_fields(const Inputs& inputs, OrderedJson& body) {
  for (const Given& given : inputs.given) {
    if (given.field->in != In::Compose) continue;
    const sv flag = given.field->flag;
    if (flag == CollectionFlags::k_name<"field">) {
      SVC_TRY(definition, read_definition(given));
      SVC_CHECK(append(body, "field_definitions", OrderedJson::array({std::move(definition)})));
    } else if (flag == UpdateFlags::k_name<"add-field">) {
      SVC_TRY(definition, read_definition(given));
      SVC_CHECK(append(body, "field_definition_updates",
                       OrderedJson{{"field_definition", std::move(definition)},
                                   {"operation", "FIELD_DEFINITION_ADD"}}));
    } else if (flag == UpdateFlags::k_name<"delete-field">) {
      SVC_CHECK(append(body, "field_definition_updates",
                       OrderedJson{{"field_definition", {{"key", given.text}}},
                                   {"operation", "FIELD_DEFINITION_DELETE"}}));
    }
  }
  return {};
}

/// The service rejects an added field that is required; deleting a field deletes its values.
Result<void> check_updates(const OrderedJson& body, Request& request) {
  const OrderedJson* updates = find(body, "field_definition_updates");
  if (updates == nullptr || !updates->is_array()) return {};
  for (const OrderedJson& update : *updates) {
    const OrderedJson* operation = find(update, "operation");
    const OrderedJson* key = find(update, "field_definition.key");
    const OrderedJson* required = find(update, "field_definition.required");
    const std::string name = key != nullptr && key->is_string()
                                 ? shown(key->get_ref<const std::string&>())
                                 : std::string("?");
    if (operation == nullptr) continue;
    if (*operation == OrderedJson("FIELD_DEFINITION_ADD") && required != nullptr &&
        *required == OrderedJson(true)) {
      return usage_error(fmt::format("field '{}' cannot be added as required", name),
                         "Existing documents lack it; only a new collection can require it.");
    }
    if (*operation == OrderedJson("FIELD_DEFINITION_DELETE")) {
      request.ends = "Removing a field removes its values from all documents.";
    }
  }
  return {};
}

}  // namespace

Result<void> compose_collection(const Inputs& inputs, OrderedJson& body, Request& request) {
  SVC_CHECK(compose_chunks(inputs, body));
  SVC_CHECK(check_strategies(body));
  SVC_CHECK(compose_fields(inputs, body));
  return check_updates(body, request);
}

}  // namespace svc::request
