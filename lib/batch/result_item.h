// One item of a batch's results and one batch, as the service writes them (api 1 §2.4, api 4 §8).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace svc::batch {

/// How a request ended. Unknown: the service itself does not know (api 4 §8.3).
enum class Outcome : std::uint8_t { Succeeded, Failed, Cancelled, Unknown };

[[nodiscard]] std::string_view outcome_name(Outcome outcome) noexcept;

/// What one item of `results` says. `text` is the last assistant message, or the addresses of
/// images and videos; `reason` why there is none.
struct ResultItem {
  std::string id{};
  Outcome outcome = Outcome::Unknown;
  std::string text{};
  std::string reason{};
  std::optional<std::int64_t> cost_ticks{};
};

/// Reads an item that passed check_json(). Members that are missing or of another shape count as
/// absent; an item that names no result is Unknown.
[[nodiscard]] ResultItem read_result_item(std::string_view json);

/// The id alone: for whoever passes the item on as it is.
[[nodiscard]] std::string result_item_id(std::string_view json);

/// A batch's counters and cost.
struct BatchState {
  std::string id{};
  std::string name{};
  std::int64_t requests = 0;
  std::int64_t pending = 0;
  std::int64_t succeeded = 0;
  std::int64_t failed = 0;
  std::int64_t cancelled = 0;
  std::optional<std::int64_t> cost_ticks{};
  bool was_cancelled = false;    ///< cancel_time is set
  std::string cancel_message{};  ///< why the operator cancelled it
  std::string expire_time{};     ///< opaque text (api 4 §8.1)

  [[nodiscard]] std::int64_t done() const noexcept { return succeeded + failed + cancelled; }
};

/// Network when `json` is no batch.
[[nodiscard]] Result<BatchState> read_batch_state(std::string_view json);

/// Whether `expire_time` lies before `now` (Unix seconds): a date alone counts to its end; text
/// that is no date never expires.
[[nodiscard]] bool has_expired(const BatchState& batch, std::int64_t now);

/// Nothing more will happen: all requests are done, or the batch is cancelled or expired and
/// nothing is pending (api 4 §8.4). A batch whose file is still being loaded has no requests yet.
[[nodiscard]] bool is_finished(const BatchState& batch, std::int64_t now);

/// The reason of a failure without what differs from request to request (numbers, quoted words), so
/// that equal failures count together.
[[nodiscard]] std::string reason_class(std::string_view reason);

}  // namespace svc::batch
