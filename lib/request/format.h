// The form of an answer: words and bare schemas as users write them -> the wire's objects.
#pragma once

#include "base/result.h"
#include "catalogue/model.h"
#include "json/document.h"

namespace svc::request {

/// Turns `response_format` of chat and `text.format` of responses into
/// what the service takes: "text" and "json_object" become {"type": …}, a JSON schema is put into a
/// json_schema format; a format object stays as it is. Usage for anything else.
[[nodiscard]] Result<void> shape_format(Composer composer, OrderedJson& body);

}  // namespace svc::request
