// The handlers behind batch_routes().
#pragma once

#include "emulator/api/batches/meter.h"
#include "emulator/handler/handler.h"

namespace svc::emulator::batches {

[[nodiscard]] Answer create(const Call& call, Meter& meter);
[[nodiscard]] Answer list(const Call& call);
[[nodiscard]] Answer get(const Call& call);
[[nodiscard]] Answer add(const Call& call, Meter& meter);
[[nodiscard]] Answer requests(const Call& call);
[[nodiscard]] Answer results(const Call& call);
[[nodiscard]] Answer cancel(const Call& call);

/// 404 for a batch that is not there.
[[nodiscard]] Answer refuse_batch(const Call& call);

}  // namespace svc::emulator::batches
