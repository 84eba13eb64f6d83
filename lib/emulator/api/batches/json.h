// A batch as the wire shows it.
#pragma once

#include "emulator/api/batches/store.h"
#include "emulator/handler/handler.h"
#include "emulator/json/json.h"

namespace svc::emulator::batches {

[[nodiscard]] text::Json batch_object(const Batch& batch, const Call& call);

/// 200 with the batch.
[[nodiscard]] Answer batch_answer(const Batch& batch, const Call& call);

}  // namespace svc::emulator::batches
