#include "client/usage.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/money.h"
#include "base/text.h"
#include "json/slices.h"

namespace svc {

void Usage::add(const Usage& more) {
  input_tokens += more.input_tokens;
  output_tokens += more.output_tokens;
  reasoning_tokens += more.reasoning_tokens;
  cached_tokens += more.cached_tokens;
  sources += more.sources;
  if (more.cost_ticks) cost_ticks = cost_ticks.value_or(0) + *more.cost_ticks;
  if (more.saved_ticks) saved_ticks = saved_ticks.value_or(0) + *more.saved_ticks;
}

namespace {

// A million dollars in ticks, small enough that hundreds of them can be added.
constexpr std::int64_t k_max_count = 10'000'000'000'000'000;

/// A count, as a number or a string; 0 for impossible values.
std::int64_t count_of(const std::optional<std::string_view>& value) {
  if (!value) return 0;
  const bool text = value->size() >= 2 && value->front() == '"';
  const std::string_view digits = text ? value->substr(1, value->size() - 2) : *value;
  const auto number = parse_integer(digits);
  if (number) return std::clamp<std::int64_t>(*number, 0, k_max_count);
  const bool huge = digits.size() > 18 && digits.find_first_not_of("0123456789") == sv::npos;
  return huge ? k_max_count : 0;
}

}  // namespace

// Extracts the values without parsing the document: a batch has a million of them.
std::optional<Usage> read_usage(std::string_view document) {
  const auto usage = json_member(document, "usage");
  return usage ? usage_in(*usage) : std::nullopt;
}

std::optional<Usage> usage_in(std::string_view usage) {
  const bool whole = usage.starts_with('{') && usage.ends_with('}');
  if (!whole || usage.find('"') == std::string_view::npos) return std::nullopt;
  enum Path : std::uint8_t {
    ChatIn,
    ChatOut,
    In,
    Out,
    ChatCached,
    Cached,
    ChatReasoning,
    Reasoning,
    Read,
    Sources,
    Cost,
    Nano,
  };
  constexpr std::array<std::string_view, 12> k_paths = {
      "prompt_tokens",
      "completion_tokens",
      "input_tokens",
      "output_tokens",
      "prompt_tokens_details.cached_tokens",
      "input_tokens_details.cached_tokens",
      "completion_tokens_details.reasoning_tokens",
      "output_tokens_details.reasoning_tokens",
      "cache_read_input_tokens",
      "num_sources_used",
      "cost_in_usd_ticks",
      "cost_in_nano_usd"};
  const auto found = json_pick(usage, k_paths);
  const bool chat = found[ChatIn].has_value();
  Usage read{.input_tokens = count_of(found[chat ? ChatIn : In]),
             .output_tokens = count_of(found[chat ? ChatOut : Out]),
             .reasoning_tokens = count_of(found[chat ? ChatReasoning : Reasoning]),
             .cached_tokens = count_of(found[chat ? ChatCached : Cached]),
             .sources = count_of(found[Sources])};
  // POST /v1/messages counts cached tokens separately.
  if (found[Read]) read.cached_tokens = count_of(found[Read]);
  const auto named = [&](Path path) { return found[path] && *found[path] != "null"; };
  if (named(Cost)) {
    read.cost_ticks = count_of(found[Cost]);
  } else if (named(Nano)) {
    // POST /v1/responses may report the cost only in this unit.
    constexpr std::int64_t k_ticks_per_nano_usd = 10;
    read.cost_ticks = std::min(count_of(found[Nano]) * k_ticks_per_nano_usd, k_max_count);
  }
  return read;
}

Result<void> Budget::may_spend(std::int64_t spent) const {
  if (!is_used_up(spent)) return {};
  return refusal(spent);
}

std::string Budget::verdict(std::int64_t spent, std::string_view then) const {
  return fmt::format("spent {} of --max-cost {}; {}", format_cost(spent, Rounding::Up),
                     format_ticks(limit.value_or(0)), then);
}

Error Budget::refusal(std::int64_t spent, std::string_view then) const {
  return Error{Fault::Limited, verdict(spent, then), "Raise --max-cost to continue."};
}

}  // namespace svc
