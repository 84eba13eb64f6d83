// The streaming transcription socket (api 2 §6, api 4 §9.8).
#pragma once

#include <memory>
#include <variant>

#include "emulator/socket.h"

namespace svc::emulator::stt {

[[nodiscard]] std::variant<std::shared_ptr<SocketSession>, Answer> open_stream(const Call& call);

}  // namespace svc::emulator::stt
