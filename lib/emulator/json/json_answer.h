// Answers that are a JSON document.
#pragma once

#include "emulator/handler/handler.h"
#include "emulator/json/json.h"

namespace svc::emulator {

/// 200, with the document as the body.
[[nodiscard]] Answer json_answer(const text::Json& body);

}  // namespace svc::emulator
