#include "client/budget.h"

#include <fmt/format.h>

#include "base/money.h"

namespace svc {

Result<void> Budget::may_spend(std::int64_t spent, std::int64_t under_way) const {
  if (!limit || spent + under_way < *limit) return {};
  Error error = refusal(spent);
  if (!is_used_up(spent)) {
    error.message = fmt::format(
        "{} is spent and about {} in flight of the {} that --max-cost allows; nothing more is "
        "sent",
        format_ticks(spent), format_ticks(under_way), format_ticks(*limit));
  }
  return error;
}

std::string Budget::verdict(std::int64_t spent, std::string_view then) const {
  return fmt::format("{} is spent of the {} that --max-cost allows; {}", format_ticks(spent),
                     format_ticks(limit.value_or(0)), then);
}

Error Budget::refusal(std::int64_t spent, std::string_view then) const {
  return Error{Fault::Limited, verdict(spent, then), "Raise --max-cost to continue."};
}

}  // namespace svc
