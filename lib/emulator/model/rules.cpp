#include "emulator/model/rules.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/base64.h"
#include "base/text.h"
#include "emulator/model/answer.h"
#include "emulator/model/search.h"
#include "emulator/picture/picture.h"

namespace svc::emulator::text {
namespace {

// The service's documentation says 128 in one place and 350 in another. The larger limit is used.
constexpr std::size_t k_max_tools = 350;
constexpr std::int64_t k_max_top_logprobs = 8;
constexpr std::array<sv, 4> k_efforts = {"none", "low", "medium", "high"};

}  // namespace

Checked<const Model*> pick_model(const Request& request, const Json& body) {
  const std::string name = get_string(body, "model");
  const Model* model = find_model(name);
  if (model == nullptr) return invalid_argument_error("Model not found: " + name);
  if (!may_use_model(request.key, model->name)) return model_access_error(model->name);
  return model;
}

std::optional<std::string> check_range(const Json& body, sv name, double low, double high) {
  const auto number = get_number(body, name);
  if (!number || (*number >= low && *number <= high)) return std::nullopt;
  return fmt::format("Invalid value for {}: {} is not between {} and {}.", name, *number, low,
                     high);
}

std::optional<std::string> check_common_fields(const Json& body) {
  if (auto error = check_range(body, "temperature", 0, 2)) return error;
  if (auto error = check_range(body, "top_p", 0, 1)) return error;
  if (const auto count = get_integer(body, "top_logprobs")) {
    if (*count > k_max_top_logprobs) {
      return fmt::format("Invalid value for top_logprobs: {} is not between 0 and {}.", *count,
                         k_max_top_logprobs);
    }
    if (*count > 0 && !get_bool(body, "logprobs", false)) {
      return "top_logprobs requires logprobs to be true.";
    }
  }
  if (const Json* tools = member(body, "tools"); tools && tools->size() > k_max_tools) {
    return fmt::format("Too many tools: {} given, at most {} are allowed.", tools->size(),
                       k_max_tools);
  }
  if (const Json* search = member(body, "search_parameters")) return check_search(*search);
  return std::nullopt;
}

std::optional<std::string> check_effort(const Model& model, sv name, sv effort) {
  if (effort.empty()) return std::nullopt;
  if (std::ranges::find(k_efforts, effort) == k_efforts.end()) {
    return fmt::format("Invalid value for {}: {} is not one of none, low, medium, high.", name,
                       excerpt(effort, 40));
  }
  if (model.reasoning_effort) return std::nullopt;
  return fmt::format("Model {} does not support parameter {}.", model.name, name);
}

std::optional<Response> check_image(sv address) {
  if (address.starts_with("https://") || address.starts_with("http://")) return std::nullopt;
  constexpr sv k_mark = ";base64,";
  const std::size_t mark = address.find(k_mark);
  if (!address.starts_with("data:image/") || mark == sv::npos) {
    return error_response(400, "invalid_image",
                          "An image must be an https address or a data:image/…;base64, URL.");
  }
  const auto data = base64_decode(address.substr(mark + k_mark.size()));
  if (!data || data->empty()) {
    return error_response(400, "invalid_image", "The image's data is not base64.");
  }
  // Other formats, such as GIF, are not looked into.
  constexpr std::array<sv, 3> k_decoded = {"image/png", "image/jpeg", "image/webp"};
  const sv type = address.substr(5, address.find(';') - 5);
  const bool known = std::ranges::find(k_decoded, type) != k_decoded.end();
  if (!known && media::image_type(*data).empty()) return std::nullopt;
  const auto image = media::decode_image(*data);
  if (image) return std::nullopt;
  return error_response(400, "invalid_image", image.error().message);
}

std::optional<std::string> check_tool_choice(const ModelRequest& model_request, bool other_tools) {
  if (model_request.tool_choice == ToolChoice::Required && model_request.functions.empty() &&
      !other_tools) {
    return "tool_choice is required, but the request has no tools.";
  }
  if (model_request.tool_choice != ToolChoice::Named) return std::nullopt;
  const bool known = std::ranges::any_of(model_request.functions, [&](const Function& function) {
    return function.name == model_request.chosen;
  });
  if (known) return std::nullopt;
  return fmt::format("tool_choice names the function {}, which is not among the tools.",
                     excerpt(model_request.chosen, 60));
}

std::optional<std::string> check_prompt(const ModelRequest& model_request) {
  const PromptTokens tokens = count_prompt(model_request);
  if (tokens.images > 0 && !model_request.model->images) {
    return fmt::format("Model {} does not support image input.", model_request.model->name);
  }
  const auto total = tokens.text + tokens.images;
  if (total <= model_request.model->context_length) return std::nullopt;
  return fmt::format("This model's maximum prompt length is {} but the request contains {} tokens.",
                     model_request.model->context_length, total);
}

std::string served_tier(const Json& body) {
  const std::string tier = get_string(body, "service_tier", "default");
  return tier == "priority" || tier == "fast" ? "priority" : "default";
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

std::optional<std::chrono::milliseconds> requested_duration(const Request& request, sv header,
                                                            std::chrono::milliseconds longest) {
  const auto tier = parse_integer(request.header(header).value_or(""));
  if (!tier || *tier < 0) return std::nullopt;
  return std::min(std::chrono::milliseconds(*tier), longest);
}

std::chrono::milliseconds chunk_delay(const Request& request, std::chrono::milliseconds fallback) {
  return requested_duration(request, "x-emulator-delay-ms", std::chrono::minutes(1))
      .value_or(fallback);
}

}  // namespace svc::emulator::text
