// What an answer says about its tokens and its price, of any operation.
#pragma once

#include <optional>
#include <string_view>

#include "client/answer.h"

namespace svc {

/// The usage that a document names, as text: of one with pictures in it only that member is read.
/// Nothing when there is none.
[[nodiscard]] std::optional<Usage> read_usage(std::string_view document);
/// The same of that member's value.
[[nodiscard]] std::optional<Usage> usage_in(std::string_view usage);

}  // namespace svc
