#include "emulator/account/models.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace svc::emulator {
namespace {

using sv = std::string_view;

// Prices of a prompt, cached prompt and completion token; the context; whether it reasons, accepts
// reasoning_effort, returns log probabilities, and supports batches and images.
constexpr std::array k_models = {
    Model{"svc-4.7", "1.0.0", "svc-4-latest", 1'772'323'200, 30'000, 7'500, 150'000, 1'000'000,
          true},
    Model{"svc-4.6", "1.0.0", "svc-4", 1'767'225'600, 30'000, 7'500, 150'000, 500'000, true},
    Model{"svc-4.5", "1.0.0", "svc-4.5-latest", 1'764'547'200, 20'000, 5'000, 100'000, 500'000,
          false, false, false, false},
    Model{"svc-4.3", "1.0.0", "svc-4.3-latest", 1'759'276'800, 12'500, 2'000, 25'000, 1'000'000,
          true, true},
    Model{"svc-4.20", "1.0.0", "", 1'756'684'800, 12'500, 2'000, 25'000, 256'000},
    Model{"svc-3", "1.0.0", "svc-3-latest", 1'743'724'800, 30'000, 7'500, 150'000, 131'072, false,
          false, true, true, false}};

}  // namespace

std::span<const Model> models() {
  return k_models;
}

const Model* find_model(sv name) {
  for (const auto& model : k_models) {
    if (model.name == name || (!name.empty() && model.alias == name)) return &model;
  }
  return nullptr;
}

std::int64_t price(const Model& model, const TokenUse& use) {
  return total_ticks(charges_of(model, use));
}

std::vector<Charge> charges_of(const Model& model, const TokenUse& use) {
  const auto cached = std::clamp<std::int64_t>(use.cached, 0, use.prompt);
  std::vector<Charge> charges;
  const auto add = [&](sv what, sv unit, std::int64_t units, std::int64_t ticks) {
    if (units == 0) return;
    charges.push_back({fmt::format("{} {}", model.name, what), std::string(unit), units, ticks});
  };
  // A long prompt raises the price of all tokens of its request.
  const std::int64_t factor = use.prompt > long_context_of(model) ? k_long_context_factor : 1;
  add("prompt tokens", "token", use.prompt - cached, model.prompt_price * factor);
  add("cached prompt tokens", "token", cached, model.cached_price * factor);
  add("completion tokens", "token", use.completion + use.reasoning,
      model.completion_price * factor);
  add("search sources", "source", use.sources, k_source_price);
  return charges;
}

Charge charge_for(const VoicePrice& price, std::int64_t units, sv model) {
  return {model.empty() ? std::string(price.what) : fmt::format("{} {}", model, price.what),
          std::string(price.unit), units, price.ticks};
}

}  // namespace svc::emulator

namespace svc::emulator::media {
namespace {

using sv = std::string_view;

// The price of svc-imagine-image is what the service was observed to charge; the others are the
// emulator's.
constexpr std::array k_models = {
    MediaModel{"svc-imagine-image", Product::Image, "1.0.0", "svc-imagine-image-latest",
               1'767'225'600, 200'000'000},
    MediaModel{"svc-imagine-image-quality", Product::Image, "1.0.0", "", 1'769'904'000,
               500'000'000},
    MediaModel{"svc-imagine-image-2.0", Product::Image, "2.0.0", "", 1'775'001'600, 400'000'000},
    MediaModel{"svc-imagine-image-pro", Product::Image, "1.0.0", "", 1'764'547'200, 700'000'000},
    MediaModel{"svc-imagine-video", Product::Video, "1.0.0", "svc-imagine-video-latest",
               1'769'904'000, 500'000'000},
    MediaModel{"svc-imagine-video-1.5", Product::Video, "1.5.0", "", 1'775'001'600, 800'000'000,
               true}};

}  // namespace

std::span<const MediaModel> media_models() {
  return k_models;
}

const MediaModel* find_media_model(Product product, sv name) {
  for (const auto& model : k_models) {
    if (model.product != product) continue;
    if (model.name == name || (!name.empty() && model.alias == name)) return &model;
  }
  return nullptr;
}

std::int64_t image_price(const MediaModel& model, sv resolution, sv quality) {
  const std::int64_t percent = resolution == "2k" ? 200 : resolution == "1.5k" ? 150 : 100;
  return model.price * percent / 100 / (quality == "low" ? 2 : 1);
}

std::int64_t video_price(const MediaModel& model, int side, int seconds) {
  const std::int64_t percent = side > 720 ? 200 : side > 480 ? 140 : 100;
  return model.price * seconds * percent / 100;
}

}  // namespace svc::emulator::media
