// A finished response as batches show it: in the shape of a chat answer.
#pragma once

#include "emulator/json/json.h"

namespace svc::emulator::batches {

/// The traffic of server tools comes first, as choices of the role `tool`; the assistant's is the
/// last one.
[[nodiscard]] text::Json chat_shape(const text::Json& response);

/// The member that batches add to a chat answer.
[[nodiscard]] text::Json debug_output();

}  // namespace svc::emulator::batches
