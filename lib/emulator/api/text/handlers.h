// The handlers of text_routes(), and the types of their requests.
#pragma once

#include "emulator/handler/handler.h"
#include "emulator/json/check.h"

namespace svc::emulator::text {

[[nodiscard]] Answer create_chat(const Call& call);
[[nodiscard]] Answer fetch_deferred(const Call& call);
[[nodiscard]] Answer create_response(const Call& call);
[[nodiscard]] Answer get_response(const Call& call);
[[nodiscard]] Answer delete_response(const Call& call);
[[nodiscard]] Answer list_input_items(const Call& call);
[[nodiscard]] Answer compact(const Call& call);

/// For POST /v1/chat/completions ("chat"), /v1/responses ("responses") and /v1/responses/compact
/// ("compact").
[[nodiscard]] const Types& request_types();

}  // namespace svc::emulator::text
