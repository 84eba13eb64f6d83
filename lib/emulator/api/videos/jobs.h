// Videos that were asked for, until a day after.
#pragma once

#include "base/result.h"
#include "emulator/state/state.h"

namespace svc::emulator::videos {

/// Works off one job that is due and has somewhere to upload its film to: it must not wait until
/// somebody asks. False when there is none.
[[nodiscard]] Result<bool> work_off_upload(State& state);

}  // namespace svc::emulator::videos
