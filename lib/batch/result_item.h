// Parses a batch and the items of its results.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "client/answer.h"
#include "http/transport.h"

namespace svc::batch {

/// The outcome of a request. Unknown: it may have run, but the service does not know either, or its
/// response was incomplete.
enum class Outcome : std::uint8_t { Succeeded, Failed, Canceled, Unknown };

[[nodiscard]] std::string_view outcome_name(Outcome outcome) noexcept;

/// The content of an item of `results`. `text` is the last assistant message, or the URLs of images
/// and videos; `reason` explains why there is none.
struct ResultItem {
  std::string id{};
  Outcome outcome = Outcome::Unknown;
  std::string text{};
  std::string reason{};
  std::optional<std::int64_t> cost_ticks{};
  bool counts_as_success = false;  ///< on the service, whose counters do not recognise truncated
                                   ///< answers
};

/// Parses an item that has passed check_json(). Missing fields and fields of another type count as
/// absent. An item without a result is Unknown; an answer with an answer_error() (truncated at the
/// token limit, refused) is Failed.
[[nodiscard]] ResultItem read_result_item(std::string_view json);

/// The token counts and cost of an item; each is empty if absent.
[[nodiscard]] Usage result_usage(std::string_view json);

/// Only the ID, for callers that pass the item on unchanged.
[[nodiscard]] std::string result_item_id(std::string_view json);

/// A batch's counters and cost.
struct BatchState {
  std::string id{};
  std::string name{};
  std::int64_t requests = 0;
  std::int64_t pending = 0;
  std::int64_t succeeded = 0;
  std::int64_t failed = 0;
  std::int64_t canceled = 0;
  std::optional<std::int64_t> cost_ticks{};
  bool was_canceled = false;     ///< cancel_time is set
  std::string cancel_message{};  ///< why an operator of the service canceled it
  std::string expire_time{};     ///< a date, a date-time or any other text
  /// The service's time in Unix seconds, from the `Date` of the response. The expiry of a batch is
  /// never judged by this machine's clock, which may be wrong by months.
  std::optional<std::int64_t> served_at{};

  [[nodiscard]] std::int64_t done() const noexcept { return succeeded + failed + canceled; }
};

/// Network if `json` is not a batch.
[[nodiscard]] Result<BatchState> read_batch_state(std::string_view json);

/// The `served_at` of a response with these headers.
[[nodiscard]] std::optional<std::int64_t> served_at(const http::HttpHead& head);

/// Whether `expire_time` is before `served_at`. A date without a time expires at its end. Text that
/// is not a date never expires, nor does a batch without `served_at`.
[[nodiscard]] bool has_expired(const BatchState& batch);

/// Whether nothing more will happen: all requests are done, the batch is canceled and nothing is
/// pending, or it has expired. A batch whose file is still being loaded has no requests yet.
[[nodiscard]] bool is_finished(const BatchState& batch);

/// A failure reason without the parts that differ between requests (numbers except an HTTP status,
/// quoted words), so that equal failures are counted together.
[[nodiscard]] std::string reason_class(std::string_view reason);

}  // namespace svc::batch
