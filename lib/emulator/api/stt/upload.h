// POST /v1/stt.
#pragma once

#include "emulator/handler/handler.h"

namespace svc::emulator::stt {

[[nodiscard]] Answer transcribe_upload(const Call& call);

/// The largest body: a file of 500 MB and the fields before it.
inline constexpr std::uint64_t k_most_upload = 500'000'000ULL;

}  // namespace svc::emulator::stt
