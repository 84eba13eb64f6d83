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

}  // namespace

Result<std::vector<std::string_view>> list_items(const Operation& operation, std::string_view body,
                                                 std::span<const std::string> secrets) {
  const std::string_view whole = trim(body);
  if (whole.starts_with('[')) return json_elements(whole);
  if (whole == "null") return std::vector<std::string_view>();
  if (!whole.starts_with('{')) return missing_list_error(operation);
  const auto list = json_member(whole, operation.items);
  if (!list || *list == "null") {
    if (auto refused = error_in_body(parse_reply(whole), secrets)) return *std::move(refused);
    return std::vector<std::string_view>();
  }
  if (list->starts_with('[')) return json_elements(*list);
  if (list->starts_with('{') && json_members(*list).empty()) return std::vector<std::string_view>();
  return missing_list_error(operation);
}

}  // namespace svc
