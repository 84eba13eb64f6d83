// Requests for a batch as clients write them: items of an add call, lines of a file.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "emulator/api/batches/store.h"
#include "emulator/handler/handler.h"

namespace svc::emulator::batches {

/// The items of `{"batch_requests": […]}`; or why they are refused: 422 for a body that does not
/// fit, 400 for a model that does not support batches, 403 for one that the key may not use.
[[nodiscard]] std::optional<Answer> read_items(const Call& call, std::vector<NewRequest>& requests);

/// The lines of a JSONL file; blank ones do not count. Usage, naming the line, when
/// one of them is wrong or an id comes twice.
[[nodiscard]] Result<std::vector<NewRequest>> read_lines(std::string_view text);

}  // namespace svc::emulator::batches
