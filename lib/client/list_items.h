// Extracts the list from a response.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "catalogue/model.h"

namespace svc {

/// The items of the list in `body`, which must have passed check_json(): the body itself, or the
/// field specified by the operation. The service omits empty lists, so `{}`, null and a missing
/// field are equivalent. The service's own error, or Network if there is no list.
[[nodiscard]] Result<std::vector<std::string_view>> list_items(
    const Operation& operation, std::string_view body, std::span<const std::string> secrets);

/// Whether an element of the operation's list is an object, as its answer says. Network if not.
[[nodiscard]] Result<void> check_item(const Operation& operation, std::string_view item);

}  // namespace svc
