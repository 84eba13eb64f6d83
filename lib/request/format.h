// The form of an answer: words and bare schemas as users write them -> the wire's objects.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "base/result.h"
#include "catalogue/model.h"

namespace svc::request {

/// Turns `response_format` of chat and `text.format` of responses into
/// what the service takes: "text" and "json_object" become {"type": …}, a JSON schema is put into a
/// json_schema format; a format object stays as it is. Usage for anything else.
[[nodiscard]] Result<void> shape_format(Composer composer, nlohmann::ordered_json& body);

}  // namespace svc::request
