// Inside POST /v1/messages.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "emulator/handler/handler.h"
#include "emulator/json/json.h"
#include "emulator/model/ask.h"

namespace svc::emulator::legacy {

/// What is wrong with the meaning of a request whose types are right.
[[nodiscard]] std::optional<Answer> messages_fault(const text::Json& body, const Model& model);

/// The question that the request asks; it points into `body`.
[[nodiscard]] text::Ask read_messages(const text::Json& body, const Model& model);

/// The answer that is not streamed, as named events. With a `failure` they end with that.
[[nodiscard]] Answer stream_message(const text::Json& message, const std::string& failure,
                                    std::chrono::milliseconds delay);

}  // namespace svc::emulator::legacy
