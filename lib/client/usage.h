// The token usage and cost in a response, for any operation.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "client/answer.h"

namespace svc {

/// The usage in a document, given as text: of one with images only that field is parsed. Empty if
/// there is none.
[[nodiscard]] std::optional<Usage> read_usage(std::string_view document);
/// Parses the value of the usage field.
[[nodiscard]] std::optional<Usage> usage_in(std::string_view usage);

/// The budget of --max-cost, checked before every request that costs money.
struct Budget {
  std::optional<std::int64_t> limit{};  ///< ticks; empty: no limit

  /// Whether more may be sent. Limited, with the amount spent and the budget.
  [[nodiscard]] Result<void> may_spend(std::int64_t spent) const;

  [[nodiscard]] bool is_used_up(std::int64_t spent) const { return limit && spent >= *limit; }

  /// "spent $0.0042 of --max-cost $0.004; no more requests are sent", or `then`
  /// instead of its last clause. A limit must be set.
  [[nodiscard]] std::string verdict(std::int64_t spent,
                                    std::string_view then = "no more requests are sent") const;
  /// verdict() as an error, with a hint.
  [[nodiscard]] Error refusal(std::int64_t spent,
                              std::string_view then = "no more requests are sent") const;
};

}  // namespace svc
