// Deferred images: made at once, shown later.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "emulator/state/state.h"

namespace svc::emulator::images {

/// Unlike a deferred chat answer it can be read again and again, for a day.
[[nodiscard]] Result<void> add_image_job(State& state, std::string_view team_id,
                                         std::string_view id, std::int64_t ready_at_ms,
                                         std::string_view body);

[[nodiscard]] Result<DeferredFetch> find_image_job(State& state, std::string_view team_id,
                                                   std::string_view id);

}  // namespace svc::emulator::images
