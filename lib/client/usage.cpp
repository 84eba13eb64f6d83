#include "client/usage.h"

#include <nlohmann/json.hpp>

#include "client/answer_parts.h"
#include "json/document.h"
#include "json/slices.h"

namespace svc {

void Usage::add(const Usage& more) {
  input_tokens += more.input_tokens;
  output_tokens += more.output_tokens;
  reasoning_tokens += more.reasoning_tokens;
  cached_tokens += more.cached_tokens;
  sources += more.sources;
  if (more.cost_ticks) cost_ticks = cost_ticks.value_or(0) + *more.cost_ticks;
}

std::optional<Usage> read_usage(std::string_view document) {
  const auto usage = json_member(document, "usage");
  if (!usage) return std::nullopt;
  return answer_parts::usage_of(nlohmann::json{{"usage", parse_reply(*usage)}});
}

}  // namespace svc
