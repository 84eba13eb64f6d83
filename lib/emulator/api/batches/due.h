// When the work on added requests begins.
#pragma once

#include <cstdint>
#include <vector>

#include "emulator/api/batches/store.h"

namespace svc::emulator::batches {

/// The service takes up to 24 hours; an emulator's user would not wait for that.
inline constexpr std::int64_t k_usual_delay_ms = 200;

/// Spreads the work over a moment, so that a batch can be seen half done.
inline void spread(std::vector<NewRequest>& requests, std::int64_t now_ms, std::int64_t delay_ms) {
  constexpr std::int64_t k_steps = 16;
  constexpr std::int64_t k_step_ms = 25;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const auto step = static_cast<std::int64_t>(i) % k_steps;
    requests[i].due_ms = now_ms + delay_ms + (delay_ms == 0 ? 0 : step * k_step_ms);
  }
}

}  // namespace svc::emulator::batches
