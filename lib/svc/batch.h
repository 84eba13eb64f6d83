// Many requests at half the price. Part of <svc/svc.h>.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "svc/options.h"
#include "svc/result.h"

namespace svc::v0 {

/// One request of a batch: a chat prompt, or `body`, a whole request as JSON.
struct BatchItem {
  std::string id{};  ///< of your choice, unique in the batch
  std::string prompt{};
  std::string body{};
};

struct BatchRequest {
  /// Saves what was sent and what has arrived. A run with the same journal and the same items
  /// continues where an earlier one ended, even if it was killed: no item is sent twice. The items
  /// are saved beside it, with ".items" at the end of the name. Required.
  std::string journal{};
  std::vector<BatchItem> items{};
  std::string model{};   ///< of prompts
  std::string system{};  ///< system prompt of prompts
  std::string name{};    ///< of the batch, for people
  /// Sends what has failed again, if an earlier run with this journal is finished.
  bool retry_failed = false;
};

struct BatchResult {
  enum class State : std::uint8_t { Succeeded, Failed, Canceled, Unknown };
  std::string id{};  ///< of the item
  State state = State::Failed;
  std::string answer{};  ///< the text, or the URLs of media
  std::string error{};   ///< why it failed; of Unknown, why that is not known
  std::string json{};    ///< {"id","state","answer","error","cost","usage","response"}
};
/// Called for each result, in the order of the items. Returns false to stop the call; the batch
/// goes on, and a later run with the journal continues.
using OnBatchResult = std::function<bool(const BatchResult& result)>;

struct BatchReport {
  std::int64_t items = 0;
  std::int64_t succeeded = 0;
  std::int64_t failed = 0;
  std::int64_t canceled = 0;
  std::int64_t unknown = 0;  ///< sent, but the answer was lost: never sent again unasked
  std::int64_t cost_in_usd_ticks = 0;
  bool stopped = false;  ///< by the callback
};

}  // namespace svc::v0
