// Stored batches, for their users and for the worker. A batch belongs to a team and is visible only
// to that team.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "emulator/handler/handler.h"
#include "emulator/state/state.h"

namespace svc::emulator::batches {

struct Batch {
  std::int64_t seq = 0;
  std::string id{};  ///< "batch_<uuid>"
  std::string team_id{};
  std::string name{};
  std::string key_id{};          ///< of the key that created it
  std::int64_t create_time = 0;  ///< Unix seconds, like all times here
  std::int64_t expire_time = 0;
  std::optional<std::int64_t> cancel_time{};
  std::optional<std::string> cancel_message{};  ///< the operator's reason
  std::optional<std::string> input_file_id{};
  bool loading = false;  ///< its file is not loaded yet
  std::int64_t num_requests = 0, num_pending = 0, num_success = 0, num_error = 0, num_cancelled = 0;
  std::int64_t cost_ticks = 0;
};

struct NewRequest {
  std::string id{};
  std::string_view kind{};  ///< Kind::member
  std::string model{};
  std::string body{};       ///< JSON text
  std::int64_t due_ms = 0;  ///< when its processing starts, Unix milliseconds
};

/// A request as shown in lists.
struct RequestRow {
  std::int64_t position = 0;  ///< for the token of the next page
  std::string id{};
  std::string kind{};
  std::string model{};
  std::string state{};
  std::int64_t create_time = 0;
  std::optional<std::int64_t> finish_time{};
  std::string result{};  ///< `batch_result` as JSON text; only in each_result()
};

[[nodiscard]] Result<Batch> create_batch(State& state, std::string_view team_id,
                                         std::string_view key_id, std::string_view name,
                                         const std::optional<std::string>& input_file_id);

[[nodiscard]] Result<std::optional<Batch>> find_batch(State& state, std::string_view team_id,
                                                      std::string_view id);

/// Returns the team's batches older than number `before` (0: all), newest first.
[[nodiscard]] Result<std::vector<Batch>> list_batches(State& state, std::string_view team_id,
                                                      std::int64_t before, std::int64_t limit);

/// Adds all of `requests` or none. Returns why they were not added, "" if they were; nothing if the
/// batch does not exist.
[[nodiscard]] Result<std::optional<std::string>> add_requests(
    State& state, std::string_view team_id, std::string_view id,
    const std::vector<NewRequest>& requests);

/// Returns up to `limit` requests after `after` (0: from the start), in the order they were added.
[[nodiscard]] Result<std::vector<RequestRow>> list_requests(State& state, const Batch& batch,
                                                            std::int64_t after, std::int64_t limit);

/// Returns up to `limit` finished requests with their results, in the order they finished.
[[nodiscard]] Result<std::vector<RequestRow>> list_results(State& state, const Batch& batch,
                                                           std::int64_t after, std::int64_t limit);

/// Cancels pending requests, unless the batch was already cancelled. Nothing if it does not exist.
[[nodiscard]] Result<std::optional<Batch>> cancel_batch(
    State& state, std::string_view team_id, std::string_view id,
    const std::optional<std::string>& message = std::nullopt);

/// A request that is due.
struct DueRequest {
  std::int64_t seq = 0;
  std::int64_t batch = 0;
  std::string team_id{};
  std::string kind{};
  std::string body{};
  std::string job{};     ///< the request_id returned by its operation, if it is polled
  std::string key_id{};  ///< of the key that created the batch
};

/// Returns up to `limit` requests, the longest overdue first. Does not claim them: the caller must
/// be the only worker (worker.h).
[[nodiscard]] Result<std::vector<DueRequest>> due_requests(State& state, std::int64_t limit);

struct Outcome {
  enum class Kind : std::uint8_t { Succeeded, Failed, Pending };
  Kind kind = Kind::Succeeded;
  std::string result{};  ///< `batch_result`, JSON text
  std::int64_t cost_ticks = 0;
  std::string job{};              ///< of Waits: the job to poll
  std::int64_t due_ms = 0;        ///< of Waits: when to poll
  std::vector<Charge> charges{};  ///< the team's charges
};

/// Records all outcomes and their charges in one transaction; `requests` and `outcomes` are in the
/// same order. Requests cancelled meanwhile remain cancelled.
[[nodiscard]] Result<void> record_outcomes(State& state, const std::vector<DueRequest>& requests,
                                           const std::vector<Outcome>& outcomes);

/// Returns the oldest batch whose file must be loaded.
[[nodiscard]] Result<std::optional<Batch>> next_loading(State& state);

/// Adds part of a file's requests, hidden until finish_loading(). Requests that exist from an
/// earlier attempt are not changed. Returns false if the batch was cancelled.
[[nodiscard]] Result<bool> load_requests(State& state, const Batch& batch,
                                         const NewRequest* requests, std::size_t count);

/// Makes the loaded requests pending, all at once.
[[nodiscard]] Result<void> finish_loading(State& state, const Batch& batch);

}  // namespace svc::emulator::batches
