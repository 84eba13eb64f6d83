// The handlers of text_routes(), and the types of their requests.
#pragma once

#include "emulator/handler/handler.h"
#include "emulator/json/check.h"

namespace svc::emulator::text {

[[nodiscard]] Response create_chat(const Request& request);
[[nodiscard]] Response fetch_deferred(const Request& request);
[[nodiscard]] Response create_response(const Request& request);
[[nodiscard]] Response get_response(const Request& request);
[[nodiscard]] Response delete_response(const Request& request);
[[nodiscard]] Response list_input_items(const Request& request);
[[nodiscard]] Response compact(const Request& request);

/// For POST /v1/chat/completions ("chat"), /v1/responses ("responses") and /v1/responses/compact
/// ("compact").
[[nodiscard]] const Types& request_types();

}  // namespace svc::emulator::text
