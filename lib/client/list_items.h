// The list that an answer is, or holds.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "catalogue/model.h"

namespace svc {

/// The items of the list that `body`, which passed check_json(), is or holds where the operation
/// says. The service leaves empty lists out: `{}`, null and a missing member are one. The service's
/// own error, or Network for what is no list.
[[nodiscard]] Result<std::vector<std::string_view>> list_items(
    const Operation& operation, std::string_view body, std::span<const std::string> secrets);

}  // namespace svc
