// From an order to the result that a reader gets.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "emulator/api/videos/jobs.h"
#include "emulator/api/videos/request.h"
#include "emulator/state/state.h"

namespace svc::emulator::videos {

/// Works a job off, and gives its result as JSON: makes the film, uploads or keeps it.
/// What goes wrong with the order is part of the result; an error is one of the emulator itself.
/// Nothing while somebody else is at it. What it costs is booked, but for a job of a batch, which
/// pays itself.
[[nodiscard]] Result<std::optional<std::string>> work_off(State& state, const Job& job);

/// What a result costs: a finished video is paid for by the second.
[[nodiscard]] std::vector<Charge> charges_of(const VideoOrder& order, const std::string& result);

/// Works off one job that is due and has somewhere to upload its film to: it must not wait until
/// somebody asks. False when there is none.
[[nodiscard]] Result<bool> work_off_upload(State& state);

/// The result of a job whose time is over.
[[nodiscard]] std::string expired_result();

}  // namespace svc::emulator::videos
