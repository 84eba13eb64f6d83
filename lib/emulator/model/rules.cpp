#include "emulator/model/rules.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/base64.h"
#include "base/text.h"
#include "emulator/model/answer.h"
#include "emulator/model/search.h"

namespace svc::emulator::text {
namespace {

// The service's documentation says 128 in one place and 350 in another. The larger limit is used.
constexpr std::size_t k_most_tools = 350;
constexpr std::int64_t k_most_top_logprobs = 8;
constexpr std::array<sv, 4> k_efforts = {"none", "low", "medium", "high"};

}  // namespace

Checked<const Model*> pick_model(const Call& call, const Json& body) {
  const std::string name = text_of(body, "model");
  const Model* model = find_model(name);
  if (model == nullptr) return refuse_argument("Model not found: " + name);
  if (!may_use_model(call.key, model->name)) return refuse_model(model->name);
  return model;
}

std::optional<std::string> range_fault(const Json& body, sv name, double low, double high) {
  const auto number = number_of(body, name);
  if (!number || (*number >= low && *number <= high)) return std::nullopt;
  return fmt::format("Invalid value for {}: {} is not between {} and {}.", name, *number, low,
                     high);
}

std::optional<std::string> common_fault(const Json& body) {
  if (auto fault = range_fault(body, "temperature", 0, 2)) return fault;
  if (auto fault = range_fault(body, "top_p", 0, 1)) return fault;
  if (const auto count = integer_of(body, "top_logprobs")) {
    if (*count > k_most_top_logprobs) {
      return fmt::format("Invalid value for top_logprobs: {} is not between 0 and {}.", *count,
                         k_most_top_logprobs);
    }
    if (*count > 0 && !flag_of(body, "logprobs", false)) {
      return "top_logprobs requires logprobs to be true.";
    }
  }
  if (const Json* tools = member(body, "tools"); tools && tools->size() > k_most_tools) {
    return fmt::format("Too many tools: {} given, at most {} are allowed.", tools->size(),
                       k_most_tools);
  }
  if (const Json* search = member(body, "search_parameters")) return search_fault(*search);
  return std::nullopt;
}

std::optional<std::string> effort_fault(const Model& model, sv name, sv effort) {
  if (effort.empty()) return std::nullopt;
  if (std::ranges::find(k_efforts, effort) == k_efforts.end()) {
    return fmt::format("Invalid value for {}: {} is not one of none, low, medium, high.", name,
                       excerpt(effort, 40));
  }
  if (model.reasoning_effort) return std::nullopt;
  return fmt::format("Model {} does not support parameter {}.", model.name, name);
}

std::optional<Answer> image_fault(sv address) {
  if (address.starts_with("https://") || address.starts_with("http://")) return std::nullopt;
  constexpr sv k_mark = ";base64,";
  const std::size_t mark = address.find(k_mark);
  if (!address.starts_with("data:image/") || mark == sv::npos) {
    return refuse(400, "invalid_image",
                  "An image must be an https address or a data:image/…;base64, URL.");
  }
  const auto data = base64_decode(address.substr(mark + k_mark.size()));
  if (data && !data->empty()) return std::nullopt;
  return refuse(400, "invalid_image", "The image's data is not base64.");
}

std::optional<std::string> choice_fault(const Ask& ask, bool other_tools) {
  if (ask.choose == Choose::Required && ask.functions.empty() && !other_tools) {
    return "tool_choice is required, but the request has no tools.";
  }
  if (ask.choose != Choose::Named) return std::nullopt;
  const bool known = std::ranges::any_of(
      ask.functions, [&](const Function& function) { return function.name == ask.chosen; });
  if (known) return std::nullopt;
  return fmt::format("tool_choice names the function {}, which is not among the tools.",
                     excerpt(ask.chosen, 60));
}

std::optional<std::string> prompt_fault(const Ask& ask) {
  const PromptTokens tokens = count_prompt(ask);
  if (tokens.images > 0 && !ask.model->images) {
    return fmt::format("Model {} does not support image input.", ask.model->name);
  }
  const auto total = tokens.text + tokens.images;
  if (total <= ask.model->context_length) return std::nullopt;
  return fmt::format("This model's maximum prompt length is {} but the request contains {} tokens.",
                     ask.model->context_length, total);
}

std::string served_tier(const Json& body) {
  const std::string wish = text_of(body, "service_tier", "default");
  return wish == "priority" || wish == "fast" ? "priority" : "default";
}

bool is_uuid(sv text) {
  constexpr std::size_t k_length = 36;
  if (text.size() != k_length) return false;
  for (std::size_t i = 0; i < k_length; ++i) {
    const bool dash = i == 8 || i == 13 || i == 18 || i == 23;
    const char c = text[i];
    const bool digit = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
    if (dash ? c != '-' : !digit) return false;
  }
  return true;
}

std::optional<std::chrono::milliseconds> wished_time(const Call& call, sv header,
                                                     std::chrono::milliseconds longest) {
  const auto wish = parse_integer(call.header(header).value_or(""));
  if (!wish || *wish < 0) return std::nullopt;
  return std::min(std::chrono::milliseconds(*wish), longest);
}

std::chrono::milliseconds piece_delay(const Call& call, std::chrono::milliseconds fallback) {
  return wished_time(call, "x-emulator-delay-ms", std::chrono::minutes(1)).value_or(fallback);
}

}  // namespace svc::emulator::text
