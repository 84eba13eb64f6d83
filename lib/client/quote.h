// What a request costs, before it is sent: counted from its body, with the service's prices.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "catalogue/model.h"
#include "client/model_facts.h"

namespace svc {

/// An estimated number of tokens, and the range in which the service's own count lies.
struct TokenCount {
  std::int64_t low = 0;
  std::int64_t about = 0;
  std::int64_t high = 0;

  void add(const TokenCount& more);
};

/// Counts a text's tokens by the sizes of words and the script: for text in Latin letters from 30 %
/// fewer to twice as many; other scripts have a wider range.
[[nodiscard]] TokenCount count_tokens_in(std::string_view text);

/// The costs of a request in ticks. What is empty cannot be known: `unknown` says why.
struct Quote {
  std::string model{};
  TokenCount input{};                   ///< all 0 if tokens are not what is charged
  std::vector<std::string> texts{};     ///< that were counted, for an exact count
  std::optional<std::int64_t> least{};  ///< for the input, at the low end of its range
  std::optional<std::int64_t> about{};  ///< for the input
  std::optional<std::int64_t> fixed{};  ///< for the input, at the high end of its range
  std::int64_t output = 0;              ///< the most tokens of all answers together
  bool limited = false;                 ///< the request limits them
  std::int64_t output_price = 0;        ///< of a token
  std::int64_t choices = 1;
  std::optional<std::int64_t> most{};  ///< for everything
  std::string unknown{};               ///< "svc-5 has no published price"
  bool by_quantity = false;            ///< the cost follows from the request alone
  bool of_time = false;                ///< it is that of a session's next seconds

  /// Whether a token limit would make the highest cost lower.
  [[nodiscard]] bool is_open() const { return most && !limited && output_price > 0; }
  /// The most that it costs if the answers are no longer than usual; nothing without prices.
  [[nodiscard]] std::optional<std::int64_t> usual_most() const {
    return fixed && output_price > 0 ? std::optional(*fixed + output * output_price) : most;
  }
  /// What the request costs at least.
  [[nodiscard]] std::int64_t floor() const { return least.value_or(0) + output_price; }
};

/// The member that stands for a recording in the body given to quote_of(): its length.
inline constexpr std::string_view k_sound_seconds = "seconds";

/// What the request `body` of an operation costs. `facts`: of its model, or null; `own`: the
/// profile's prices. `counted`: the exact tokens of the texts, if the service counted them.
[[nodiscard]] Quote quote_of(const Operation& operation, std::string_view body,
                             const ModelFacts* facts, const Prices& own,
                             std::optional<std::int64_t> counted = {});

/// The list with the prices of an operation's models: "language", "image", "video"; "" if it has
/// none.
[[nodiscard]] std::string_view price_list_of(const Operation& operation);

/// The body with a limit of `tokens` for each answer. It must be that of a quote that is open.
[[nodiscard]] std::string with_token_limit(const Operation& operation, std::string_view body,
                                           std::int64_t tokens);

}  // namespace svc
