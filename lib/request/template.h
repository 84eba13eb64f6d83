// A value put into the JSON that an alias stands for.
#pragma once

#include <string_view>

#include "json/document.h"

namespace svc::request {

/// `form` with its placeholders filled in (Field::stands_for).
[[nodiscard]] OrderedJson fill_template(std::string_view form, std::string_view value);

}  // namespace svc::request
