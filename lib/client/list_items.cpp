#include "client/list_items.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "client/api_error.h"
#include "json/document.h"
#include "json/slices.h"

namespace svc {
namespace {

Error missing_list_error(const Operation& operation) {
  return Error{Fault::Network, fmt::format("no list '{}' in response", operation.items),
               "Inspect it with --format raw."};
}

Result<std::vector<std::string_view>> objects_of(const Operation& operation,
                                                 std::string_view list) {
  std::vector<std::string_view> items = json_elements(list);
  for (const std::string_view item : items) SVC_CHECK(check_item(operation, item));
  return items;
}

}  // namespace

Result<void> check_item(const Operation& operation, std::string_view item) {
  if (item.starts_with('{') || operation.answer.empty()) return {};
  return unexpected_answer(fmt::format("objects in the list of {}", operation.noun.many),
                           shown(std::string(item)));
}

Result<std::vector<std::string_view>> list_items(const Operation& operation, std::string_view body,
                                                 std::span<const std::string> secrets) {
  const std::string_view whole = trim(body);
  if (whole.starts_with('[')) return objects_of(operation, whole);
  if (whole == "null") return std::vector<std::string_view>();
  if (!whole.starts_with('{')) return missing_list_error(operation);
  const auto list = json_member(whole, operation.items);
  if (!list || *list == "null") {
    if (auto refused = error_in_body(parse_reply(whole), secrets)) return *std::move(refused);
    return std::vector<std::string_view>();
  }
  if (list->starts_with('[')) return objects_of(operation, *list);
  if (list->starts_with('{') && json_members(*list).empty()) return std::vector<std::string_view>();
  return missing_list_error(operation);
}

}  // namespace svc
