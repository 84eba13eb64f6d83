// The pass over the input before anything is sent: every line is looked at, everything that is
// wrong is told, and what is right is written into the journal.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/cancel_token.h"
#include "base/result.h"
#include "batch/input.h"
#include "batch/journal.h"

namespace svc::batch {

/// Every COUNTth item, beginning with the INDEXth (from 1).
struct Shard {
  std::int64_t index = 1;
  std::int64_t count = 1;

  [[nodiscard]] bool takes(std::int64_t ordinal) const noexcept {
    return (ordinal - 1) % count == index - 1;
  }
};

/// "K/N" with 1 <= K <= N; nothing for anything else.
[[nodiscard]] std::optional<Shard> parse_shard(std::string_view text) noexcept;

/// How many faults are told; the others are counted.
inline constexpr std::size_t k_told_faults = 20;

struct CheckReport {
  std::int64_t lines = 0;  ///< that are not blank
  std::int64_t items = 0;  ///< of this shard, without the bad ones
  std::int64_t made_ids = 0;
  std::int64_t bad_lines = 0;
  std::vector<LineFault> faults{};  ///< the first k_told_faults of them
  bool complete = true;             ///< all of the input was looked at
  std::uint64_t bytes = 0;          ///< of this shard's requests, as they are sent
};

/// Checks `input` and adds this shard's good items to `journal`, as stretches. Ids must be unique
/// across all shards. All of the input is checked where what is wrong is skipped; else the end
/// comes some way behind the first bad line. The caller has begun a transaction, and rolls it back
/// when the faults forbid to go on.
[[nodiscard]] Result<CheckReport> check_input(Input& input, Journal& journal, const Shard& shard,
                                              bool skip_invalid, const CancelToken& cancel,
                                              const std::function<void(std::uint64_t)>& tell);

/// Makes items of the next stretch in `journal`; false when there is none. Local when the input is
/// another than was checked.
[[nodiscard]] Result<bool> fill_next(Input& input, Journal& journal, const Shard& shard);

}  // namespace svc::batch
