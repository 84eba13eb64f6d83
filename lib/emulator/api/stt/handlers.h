// The handlers of stt_routes().
#pragma once

#include <memory>
#include <variant>

#include "emulator/handler/socket.h"

namespace svc::emulator::stt {

/// POST /v1/stt.
[[nodiscard]] Response transcribe_upload(const Request& request);

/// The largest body: a file of 500 MB and the fields before it.
inline constexpr std::uint64_t k_max_upload = 500'000'000ULL;

/// The streaming transcription socket.
[[nodiscard]] std::variant<std::shared_ptr<SocketSession>, Response> open_stream(
    const Request& request);

}  // namespace svc::emulator::stt
