// One item of a batch's results and one batch, as the service writes them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "client/answer.h"
#include "http/transport.h"

namespace svc::batch {

/// How a request ended. Unknown: it may have run; the service does not know either, or its answer
/// did not arrive whole.
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
  bool counts_as_success = false;  ///< for the service, whose counters know no cut answers
};

/// Reads an item that passed check_json(). Members that are missing or of another shape count as
/// absent; an item that names no result is Unknown, an answer with a shortcoming() (cut at the
/// token limit, refused) Failed.
[[nodiscard]] ResultItem read_result_item(std::string_view json);

/// What an item says of its tokens and its cost; nothing of either where it names none.
[[nodiscard]] Usage result_usage(std::string_view json);

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
  std::string expire_time{};     ///< a date, a date-time or any other text
  /// The service's own clock when it said all this, in Unix seconds: the `Date` of its answer.
  /// Whether a batch has expired is never judged by this machine's clock, which may be wrong by
  /// months.
  std::optional<std::int64_t> served_at{};

  [[nodiscard]] std::int64_t done() const noexcept { return succeeded + failed + cancelled; }
};

/// Network when `json` is no batch.
[[nodiscard]] Result<BatchState> read_batch_state(std::string_view json);

/// `served_at` of an answer with these headers.
[[nodiscard]] std::optional<std::int64_t> served_at(const http::HttpHead& head);

/// Whether `expire_time` lies before `served_at`: a date alone counts to its end; text that is not
/// a date never expires, nor does a batch of a service that does not tell its time.
[[nodiscard]] bool has_expired(const BatchState& batch);

/// Nothing more will happen: all requests are done, or the batch is cancelled and nothing is
/// pending, or it has expired. A batch whose file is still being loaded has no requests yet.
[[nodiscard]] bool is_finished(const BatchState& batch);

/// The reason of a failure without what differs from request to request (numbers, quoted words), so
/// that equal failures count together.
[[nodiscard]] std::string reason_class(std::string_view reason);

}  // namespace svc::batch
