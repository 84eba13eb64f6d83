// The handlers behind text_routes().
#pragma once

#include "emulator/handler/handler.h"
#include "emulator/handler/routes.h"

namespace svc::emulator::text {

[[nodiscard]] Answer create_chat(const Call& call, const TextOptions& options);
[[nodiscard]] Answer fetch_deferred(const Call& call);
[[nodiscard]] Answer create_response(const Call& call, const TextOptions& options);
[[nodiscard]] Answer get_response(const Call& call);
[[nodiscard]] Answer delete_response(const Call& call);
[[nodiscard]] Answer list_input_items(const Call& call);
[[nodiscard]] Answer compact(const Call& call);

}  // namespace svc::emulator::text
