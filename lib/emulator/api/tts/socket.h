// The streaming synthesis socket.
#pragma once

#include <memory>
#include <variant>

#include "emulator/handler/socket.h"

namespace svc::emulator::tts {

[[nodiscard]] std::variant<std::shared_ptr<SocketSession>, Answer> open_tts_socket(
    const Call& call);

}  // namespace svc::emulator::tts
