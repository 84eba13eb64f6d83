#include "emulator/api/images/request.h"

#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "emulator/api/images/size.h"
#include "emulator/api/media/output.h"
#include "emulator/api/media/request_types.h"
#include "emulator/api/media/source.h"
#include "emulator/model/rules.h"

namespace svc::emulator::images {
namespace {

using text::Member;
using text::Shape;
using text::Type;

constexpr std::int64_t k_most_images = 10;
constexpr std::size_t k_most_inputs = 5;

constexpr auto k_ratio_words = [] {
  std::array<sv, k_ratios.size() + 1> words{};
  for (std::size_t i = 0; i < k_ratios.size(); ++i) words[i] = k_ratios[i];
  words.back() = "auto";
  return words;
}();
constexpr std::array<sv, 3> k_resolutions = {"1k", "1.5k", "2k"};
constexpr std::array<sv, 3> k_qualities = {"low", "medium", "auto"};
constexpr Type k_ratio{.shape = Shape::Word, .words = k_ratio_words};
constexpr Type k_resolution{.shape = Shape::Word, .words = k_resolutions};
constexpr Type k_quality{.shape = Shape::Word, .words = k_qualities};

// `prompt` is required, but its absence is a 400.
constexpr std::array k_members = {Member{"prompt", &text::k_text},
                                  Member{"model", &text::k_text},
                                  Member{"n", &text::k_integer},
                                  Member{"aspect_ratio", &k_ratio},
                                  Member{"resolution", &k_resolution},
                                  Member{"quality", &k_quality},
                                  Member{"response_format", &text::k_text},
                                  Member{"storage_options", &media::k_storage},
                                  Member{"deferred", &text::k_boolean},
                                  Member{"user", &text::k_text},
                                  Member{"image", &media::k_source},
                                  Member{"images", &media::k_sources}};
constexpr Type k_request{.shape = Shape::Object, .members = k_members};

std::optional<Answer> check_plain(const Call& call, const Json& body, ImageOrder& order) {
  order.prompt = text::text_of(body, "prompt");
  if (trim(order.prompt).empty()) return text::refuse_argument("The prompt cannot be empty.");
  if (auto refusal = media::pick_media_model(call, body, media::Product::Image, order.model)) {
    return refusal;
  }
  const std::int64_t count = text::integer_of(body, "n").value_or(1);
  if (count < 1 || count > k_most_images) {
    return text::refuse_argument(
        fmt::format("Invalid value for n: {} is not between 1 and {}.", count, k_most_images));
  }
  order.count = static_cast<std::size_t>(count);
  const std::string format = text::text_of(body, "response_format", "url");
  if (format != "url" && format != "b64_json") {
    return text::refuse_argument(
        fmt::format("Invalid value for response_format: {} is not one of url, b64_json.",
                    visible(excerpt(format, 40), Lines::Escape)));
  }
  order.as_base64 = format == "b64_json";
  order.deferred = text::flag_of(body, "deferred", false);
  order.steering = text::read_steering(order.prompt);
  return media::storage_fault(body);
}

std::optional<Answer> read_inputs(const Call& call, const Json& body, ImageOrder& order) {
  const Json* one = text::member(body, "image");
  const Json* several = text::member(body, "images");
  if (one != nullptr && several != nullptr) {
    return text::refuse_argument("image and images exclude each other: give one of them.");
  }
  if (one == nullptr && (several == nullptr || several->empty())) {
    return text::refuse_argument("An edit needs image or images.");
  }
  const std::size_t count = one != nullptr ? 1 : several->size();
  if (count > k_most_inputs) {
    return text::refuse_argument(
        fmt::format("Too many images: {} given, at most {} are allowed.", count, k_most_inputs));
  }
  // All are looked at before any is fetched.
  for (std::size_t i = 0; i < count; ++i) {
    std::vector<text::Step> path = {std::string(one != nullptr ? "image" : "images")};
    if (one == nullptr) path.emplace_back(i);
    const Json& source = one != nullptr ? *one : (*several)[i];
    if (auto refusal = media::source_fault(call, source, path)) return refusal;
  }
  const media::Place place = media::Place::of(call);
  order.inputs.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    const Json& source = one != nullptr ? *one : (*several)[i];
    if (auto trouble = media::load_picture(place, source, order.inputs[i])) {
      return trouble->refusal();
    }
  }
  return std::nullopt;
}

media::Size choose_size(const Json& body, const ImageOrder& order) {
  const std::string ratio = text::text_of(body, "aspect_ratio");
  const std::string resolution = text::text_of(body, "resolution");
  if (!ratio.empty() && ratio != "auto") return image_size(ratio, resolution);
  // An edit without a ratio follows what it edits.
  if (!order.inputs.empty()) return image_size(order.inputs.front().size(), resolution);
  return image_size(ratio.empty() ? "1:1" : choose_ratio(order.prompt), resolution);
}

// The service's prices are not published: the emulator's own grow with the pixels.
std::int64_t price_of(const Json& body, const media::MediaModel& model) {
  std::int64_t price = model.price;
  const std::string resolution = text::text_of(body, "resolution");
  if (resolution == "1.5k") price += price / 2;
  if (resolution == "2k") price *= 2;
  return text::text_of(body, "quality") == "low" ? price / 2 : price;
}

}  // namespace

std::optional<Answer> read_order(const Call& call, bool edit, Json& body, ImageOrder& order) {
  std::optional<Answer> refusal;
  body = text::read_body(call, k_request, refusal);
  if (refusal) return refusal;
  if ((refusal = check_plain(call, body, order))) return refusal;
  if (edit && (refusal = read_inputs(call, body, order))) return refusal;
  order.size = choose_size(body, order);
  order.price = price_of(body, *order.model);
  return std::nullopt;
}

}  // namespace svc::emulator::images
