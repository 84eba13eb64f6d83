// Inside the store of batches: a row as a Batch.
#pragma once

#include <optional>
#include <string_view>

#include "database/database.h"
#include "emulator/api/batches/store.h"

namespace svc::emulator::batches {

/// In the order that read_batch() takes.
inline constexpr std::string_view k_batch_columns =
    "seq, id, team_id, name, key_id, create_time, expire_time, cancel_time, cancel_message,"
    " input_file_id, loading, num_requests, num_pending, num_success, num_error, num_cancelled,"
    " cost_ticks";

[[nodiscard]] Batch read_batch(const Statement& row);

[[nodiscard]] Result<std::optional<Batch>> find_row(Database& database, std::string_view team_id,
                                                    std::string_view id);

}  // namespace svc::emulator::batches
