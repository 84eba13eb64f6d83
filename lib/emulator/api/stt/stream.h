// The streaming transcription socket.
#pragma once

#include <memory>
#include <variant>

#include "emulator/handler/socket.h"

namespace svc::emulator::stt {

[[nodiscard]] std::variant<std::shared_ptr<SocketSession>, Answer> open_stream(const Call& call);

}  // namespace svc::emulator::stt
