// A batch as the wire shows it (api 1 §2.4, api 4 §8).
#pragma once

#include "emulator/batches/store.h"
#include "emulator/handler.h"
#include "emulator/text/json.h"

namespace svc::emulator::batches {

[[nodiscard]] text::Json batch_object(const Batch& batch, const Call& call);

/// 200 with the batch.
[[nodiscard]] Answer batch_answer(const Batch& batch, const Call& call);

}  // namespace svc::emulator::batches
