#include "client/usage.h"

#include <nlohmann/json.hpp>

#include "base/json_slices.h"
#include "client/answer_parts.h"
#include "client/reply_json.h"

namespace svc {

std::optional<Usage> read_usage(std::string_view document) {
  const auto usage = json_member(document, "usage");
  if (!usage) return std::nullopt;
  return answer_parts::usage_of(nlohmann::json{{"usage", parse_reply(*usage)}});
}

}  // namespace svc
