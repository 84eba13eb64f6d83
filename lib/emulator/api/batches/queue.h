// The batches as their worker sees them: what is due, and what became of it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/api/batches/store.h"
#include "emulator/handler/charge.h"

namespace svc::emulator::batches {

/// A request whose time has come.
struct DueRequest {
  std::int64_t seq = 0;
  std::int64_t batch = 0;
  std::string team_id{};
  std::string kind{};
  std::string body{};
  std::string job{};     ///< the request_id that its operation gave, when it is polled
  std::string key_id{};  ///< of the key that made the batch
};

/// Up to `limit` of them, the longest due first. Nothing is claimed: the caller must be the only
/// worker (worker.h).
[[nodiscard]] Result<std::vector<DueRequest>> due_requests(State& state, std::int64_t limit);

struct Outcome {
  enum class Kind : std::uint8_t { Succeeded, Failed, Waits };
  Kind kind = Kind::Succeeded;
  std::string result{};  ///< `batch_result`, JSON text
  std::int64_t cost_ticks = 0;
  std::string job{};              ///< of Waits: what to poll
  std::int64_t due_ms = 0;        ///< of Waits: when
  std::vector<Charge> charges{};  ///< what the team pays
};

/// Notes all outcomes and books their charges in one transaction, `requests` and `outcomes` in the
/// same order. What was cancelled meanwhile stays cancelled.
[[nodiscard]] Result<void> note_outcomes(State& state, const std::vector<DueRequest>& requests,
                                         const std::vector<Outcome>& outcomes);

/// The oldest batch whose file is to be loaded.
[[nodiscard]] Result<std::optional<Batch>> next_loading(State& state);

/// Adds a part of a file's requests, unseen until finish_loading(). Those that are there already,
/// from an earlier attempt, are left as they are. False when the batch was cancelled.
[[nodiscard]] Result<bool> load_requests(State& state, const Batch& batch,
                                         const NewRequest* requests, std::size_t count);

/// Makes the loaded requests pending, all at once.
[[nodiscard]] Result<void> finish_loading(State& state, const Batch& batch);

}  // namespace svc::emulator::batches
