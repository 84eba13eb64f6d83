// Fault injection: rules such as
//   "POST /v1/chat/*: status 429 retry-after 1, times 2"
// and their effect on one response.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "emulator/handler/handler.h"

namespace svc::emulator {

/// A rule's action. The first five replace the response, the others change it.
enum class FaultAction : std::uint8_t {
  Status,      ///< an error response with `status` and `headers`; the operation does not run
  Reset,       ///< RST before any byte; the operation does not run
  Stall,       ///< sends nothing and keeps the connection open; the operation does not run
  Garbage,     ///< an HTML page with status 200
  Empty,       ///< status 200 with an empty body
  Latency,     ///< waits `duration`, then responds as usual
  ResetAfter,  ///< RST after `amount` bytes of the body; 0: the operation runs, nothing is sent
  CutAfter,  ///< a stream ends after `amount` events, well-formed but early; a WebSocket ends after
             ///< `amount` messages without a close frame
  StallAfter,  ///< a stream stops sending after `amount` events
  Slow,        ///< waits `duration` before each byte; on a WebSocket, before each message
  CloseAfter,  ///< a WebSocket closes with `status` and `message` after `amount` messages
  DropAfter,   ///< a WebSocket ends without a close frame after `amount` client messages
};

struct FaultRule {
  std::string text{};    ///< the rule as given
  std::string method{};  ///< "*": any
  std::string path{};    ///< a glob: `*` matches any text, including slashes
  FaultAction action = FaultAction::Reset;
  int status = 0;                 ///< of Status; the close code of CloseAfter
  std::vector<Header> headers{};  ///< of Status
  std::string message{};          ///< of Status, empty: the default; the reason of CloseAfter
  std::string body{};             ///< of Status, empty: the service's own error
  std::chrono::milliseconds duration{0};
  std::uint64_t amount = 0;

  std::optional<std::uint64_t> times{};  ///< maximum number of times
  std::uint64_t after = 0;               ///< skips this many matching requests first
  std::uint64_t every = 1;               ///< applies to every N-th matching request
  double rate = 1.0;                     ///< applies with this probability
  std::string key{};                     ///< only for this key: its ID, name or secret
  std::string model{};                   ///< only for requests for this model
};

/// Parses a rule:
/// METHOD PATH-GLOB: ACTION [args] [, times N] [, after K] [, every N] [, rate R] [, key K]
/// [, model M]
/// Returns Usage, with a message that describes what was expected.
[[nodiscard]] Result<FaultRule> parse_fault(sv text);

/// Returns the actions with their arguments, one per line, for --help.
[[nodiscard]] sv fault_help();

/// The combined effect of the rules on one request.
struct FaultPlan {
  std::optional<FaultRule> replacement{};  ///< Status, Reset, Stall, Garbage or Empty
  std::chrono::milliseconds latency{0};
  std::chrono::milliseconds slow{0};         ///< per byte, or per WebSocket message
  std::map<FaultAction, FaultRule> after{};  ///< ResetAfter, CutAfter, StallAfter, …

  /// Returns the rule with that action, if its amount is reached; otherwise null.
  [[nodiscard]] const FaultRule* due(FaultAction action, std::uint64_t amount) const {
    const auto found = after.find(action);
    return found == after.end() || amount < found->second.amount ? nullptr : &found->second;
  }
};

/// Returns the response of a plan with Status, Garbage or Empty.
[[nodiscard]] Response fault_response(const FaultRule& rule);

/// The parts of a request that rules match.
struct FaultTarget {
  sv method;
  sv path;
  std::function<bool(sv key)> is_key{};  ///< by ID, name or secret
  std::function<bool(sv model)> names_model{};
};

/// An operation that rules can match; `{name}` in the path is one segment.
struct FaultOperation {
  std::string method;
  std::string path;
};

/// The active rules. Thread-safe.
class FaultRuleSet {
 public:
  struct Entry {
    FaultRule rule;
    std::uint64_t seen = 0;     ///< matching requests
    std::uint64_t applied = 0;  ///< how many of them it changed
  };

  /// Makes add() reject rules that match none of these operations; the error suggests the nearest.
  void set_operations(std::vector<FaultOperation> operations);

  /// Returns Usage if there would be more than 100 rules, or if a rule matches no operation.
  [[nodiscard]] Result<void> add(std::vector<FaultRule> rules);
  void clear();
  [[nodiscard]] std::vector<Entry> entries() const;

  /// Counts the request and returns its faults. Of the rules that replace the response, only the
  /// first applies; the others remain available for the next request.
  [[nodiscard]] FaultPlan plan(const FaultTarget& target);

 private:
  [[nodiscard]] Result<void> check(const FaultRule& rule) const;
  [[nodiscard]] bool should_apply(Entry& entry, const FaultTarget& target, bool taken);

  mutable std::mutex m_mutex{};
  std::vector<Entry> m_entries{};
  std::vector<FaultOperation> m_operations{};
  std::mt19937_64 m_random{
      1};  // a fixed seed, so that the same requests in the same order get the same faults
};

}  // namespace svc::emulator
