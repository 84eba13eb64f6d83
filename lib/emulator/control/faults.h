// Misbehaviour on purpose: rules such as
//   "POST /v1/chat/*: status 429 retry-after 1, times 2"
// and what they do to one answer.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "emulator/handler/handler.h"

namespace svc::emulator {

/// What a rule does. The first six come instead of the answer, the others change it.
enum class FaultAction : std::uint8_t {
  Status,      ///< an error answer with `status` and `headers`; the operation does not run
  Reset,       ///< RST before any byte; the operation does not run
  Stall,       ///< no byte, the connection stays open; the operation does not run
  Garbage,     ///< an HTML page with status 200
  Empty,       ///< 200 and nothing
  Latency,     ///< waits `duration`, then goes on as usual
  ResetAfter,  ///< RST after `amount` bytes of the body; 0: the operation ran, nothing is sent
  CutAfter,    ///< a stream ends after `amount` events, well-formed but early; a WebSocket without
               ///< goodbye after `amount` messages
  StallAfter,  ///< a stream falls silent after `amount` events
  Slow,        ///< waits `duration` before each byte; on a WebSocket, before each message
  CloseAfter,  ///< a WebSocket says goodbye with `status` and `message` after `amount` messages
  DropAfter,   ///< a WebSocket ends without goodbye after `amount` messages of the client
};

struct FaultRule {
  std::string text{};    ///< as it was given
  std::string method{};  ///< "*": any
  std::string path{};    ///< a glob: `*` is any text, slashes too
  FaultAction action = FaultAction::Reset;
  int status = 0;                 ///< of Status; of CloseAfter the close code
  std::vector<Header> headers{};  ///< of Status
  std::string message{};          ///< of Status, empty: the usual one; of CloseAfter the reason
  std::string body{};             ///< of Status, empty: the service's own error
  std::chrono::milliseconds duration{0};
  std::uint64_t amount = 0;

  std::optional<std::uint64_t> times{};  ///< at most so often
  std::uint64_t after = 0;               ///< not for the first so many matching requests
  std::uint64_t every = 1;               ///< for each so-many-th matching request
  double rate = 1.0;                     ///< with this probability
  std::string key{};                     ///< only for this key: its id, its name or its secret
  std::string model{};                   ///< only for requests that name this model
};

/// METHOD PATH-GLOB: ACTION [args] [, times N] [, after K] [, every N] [, rate R] [, key K]
/// [, model M]
/// Usage, with a sentence that says what was expected.
[[nodiscard]] Result<FaultRule> parse_fault(std::string_view text);

/// The actions with their arguments, one per line, for --help.
[[nodiscard]] std::string_view fault_help();

/// What the rules together do to one request.
struct FaultPlan {
  std::optional<FaultRule> instead{};  ///< Status, Reset, Stall, Garbage or Empty
  std::chrono::milliseconds latency{0};
  std::optional<std::uint64_t> reset_after{};
  std::optional<std::uint64_t> cut_after{};
  std::optional<std::uint64_t> stall_after{};
  std::chrono::milliseconds slow{0};           ///< per byte, or message of a WebSocket
  std::optional<std::uint64_t> close_after{};  ///< WebSocket
  std::uint16_t close_code = 0;
  std::string close_reason{};
  std::optional<std::uint64_t> drop_after{};  ///< WebSocket
};

/// The answer that a plan with Status, Garbage or Empty gives.
[[nodiscard]] Answer fault_answer(const FaultRule& rule);

/// A request as rules see it.
struct FaultTarget {
  std::string_view method;
  std::string_view path;
  std::function<bool(std::string_view key)> is_key{};  ///< by id, name or secret
  std::function<bool(std::string_view model)> names_model{};
};

/// An operation that rules may befall; `{name}` in the path is one segment.
struct FaultOperation {
  std::string method;
  std::string path;
};

/// The rules in force. Safe for several threads.
class FaultBook {
 public:
  struct Entry {
    FaultRule rule;
    std::uint64_t seen = 0;     ///< requests that matched
    std::uint64_t applied = 0;  ///< of them, how many it changed
  };

  /// From now on add() refuses rules that fit none of these, and names the nearest.
  void know(std::vector<FaultOperation> operations);

  /// Usage when there would be more than 100 rules, or for one that no operation fits.
  [[nodiscard]] Result<void> add(std::vector<FaultRule> rules);
  void clear();
  [[nodiscard]] std::vector<Entry> entries() const;

  /// Counts the request and says what happens to it. Of the rules that come instead of the answer
  /// the first one wins, and the others are left for the next request.
  [[nodiscard]] FaultPlan plan(const FaultTarget& target);

 private:
  [[nodiscard]] Result<void> check(const FaultRule& rule) const;
  [[nodiscard]] bool fires(Entry& entry, const FaultTarget& target, bool taken);

  mutable std::mutex m_mutex{};
  std::vector<Entry> m_entries{};
  std::vector<FaultOperation> m_operations{};
  std::mt19937_64 m_random{1};  // a fixed seed: the same requests in the same order fare the same
};

}  // namespace svc::emulator
