// From an order to the result that a reader gets.
#pragma once

#include <string>

#include "base/result.h"
#include "emulator/state.h"
#include "emulator/videos/jobs.h"

namespace svc::emulator::videos {

/// Makes the film, uploads or keeps it, and gives the result as JSON (api 4 §7.2). What goes wrong
/// with the order is part of the result; an error is one of the emulator itself.
[[nodiscard]] Result<std::string> finish(State& state, const Job& job);

/// The result of a job whose time is over.
[[nodiscard]] std::string expired_result();

}  // namespace svc::emulator::videos
