// What an answer says about its tokens and its price, of any operation.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "client/answer.h"

namespace svc {

/// The usage that a document names, as text: of one with pictures in it only that member is read.
/// Nothing when there is none.
[[nodiscard]] std::optional<Usage> read_usage(std::string_view document);
/// The same of that member's value.
[[nodiscard]] std::optional<Usage> usage_in(std::string_view usage);

/// What --max-cost allows, asked before every request that costs something and told in one
/// sentence.
struct Budget {
  std::optional<std::int64_t> limit{};  ///< ticks; nothing: no limit

  /// Whether something more may be sent. `under_way`: what is sent already will cost so much more,
  /// as far as that can be told. Limited, with what was spent and what is allowed.
  [[nodiscard]] Result<void> may_spend(std::int64_t spent, std::int64_t under_way = 0) const;

  [[nodiscard]] bool is_used_up(std::int64_t spent) const { return limit && spent >= *limit; }

  /// "$0.0042 is spent of the $0.004 that --max-cost allows; nothing more is sent", or what else
  /// follows from it. There is a limit.
  [[nodiscard]] std::string verdict(std::int64_t spent,
                                    std::string_view then = "nothing more is sent") const;
  /// The same as an error, with the way out.
  [[nodiscard]] Error refusal(std::int64_t spent,
                              std::string_view then = "nothing more is sent") const;
};

}  // namespace svc
