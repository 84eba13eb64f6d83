// The first pass over the input, before anything is sent: checks every line, collects errors and
// records valid lines in the journal.
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

/// Every COUNTth item, starting with the INDEXth (from 1).
struct Shard {
  std::int64_t index = 1;
  std::int64_t count = 1;

  [[nodiscard]] bool contains(std::int64_t ordinal) const noexcept {
    return (ordinal - 1) % count == index - 1;
  }
};

/// Parses "K/N" with 1 <= K <= N; returns nothing for anything else.
[[nodiscard]] std::optional<Shard> parse_shard(std::string_view text) noexcept;

/// The number of errors reported in full; the rest are only counted.
inline constexpr std::size_t k_max_reported_errors = 20;

struct CheckReport {
  std::int64_t lines = 0;  ///< non-blank lines
  std::int64_t items = 0;  ///< of this shard, without invalid ones
  std::int64_t generated_ids = 0;
  std::int64_t invalid_lines = 0;
  std::vector<LineError> errors{};  ///< the first k_max_reported_errors errors
  bool complete = true;             ///< all of the input was checked
  std::uint64_t bytes = 0;          ///< of this shard's requests, as sent
};

/// Checks `input` and adds this shard's valid items to `journal`, as line ranges. IDs must be
/// unique across all shards. With `skip_invalid`, checks all of the input; otherwise stops some
/// distance after the first invalid line. The caller must have started a transaction and rolls it
/// back if errors prevent the run.
[[nodiscard]] Result<CheckReport> check_input(Input& input, Journal& journal, const Shard& shard,
                                              bool skip_invalid, const CancelToken& cancel,
                                              const std::function<void(std::uint64_t)>& report);

/// Creates the items of the next range in `journal`; false if there is none. Local if the input
/// has changed since it was checked.
[[nodiscard]] Result<bool> fill_next(Input& input, Journal& journal, const Shard& shard);

}  // namespace svc::batch
