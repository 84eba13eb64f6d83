#include "emulator/account/media_models.h"

#include <algorithm>
#include <array>

namespace svc::emulator::media {
namespace {

using sv = std::string_view;

constexpr std::array<sv, 1> k_image_aliases = {"svc-imagine-image-latest"};
constexpr std::array<sv, 1> k_video_aliases = {"svc-imagine-video-latest"};

// An image of svc-imagine-image costs what the service was seen to charge; the other prices are the
// emulator's.
constexpr std::array k_models = {
    MediaModel{.name = "svc-imagine-image",
               .version = "1.0.0",
               .aliases = k_image_aliases,
               .created = 1'767'225'600,
               .price = 200'000'000},
    MediaModel{.name = "svc-imagine-image-quality",
               .version = "1.0.0",
               .created = 1'769'904'000,
               .price = 500'000'000},
    MediaModel{.name = "svc-imagine-image-2.0",
               .version = "2.0.0",
               .created = 1'775'001'600,
               .price = 400'000'000},
    MediaModel{.name = "svc-imagine-image-pro",
               .version = "1.0.0",
               .created = 1'764'547'200,
               .price = 700'000'000},
    MediaModel{.name = "svc-imagine-video",
               .product = Product::Video,
               .version = "1.0.0",
               .aliases = k_video_aliases,
               .created = 1'769'904'000,
               .price = 500'000'000},
    MediaModel{.name = "svc-imagine-video-1.5",
               .product = Product::Video,
               .version = "1.5.0",
               .created = 1'775'001'600,
               .price = 800'000'000,
               .full_hd = true},
};

}  // namespace

std::span<const MediaModel> media_models() {
  return k_models;
}

const MediaModel* find_media_model(Product product, sv name) {
  for (const auto& model : k_models) {
    if (model.product != product) continue;
    if (model.name == name || std::ranges::find(model.aliases, name) != model.aliases.end()) {
      return &model;
    }
  }
  return nullptr;
}

}  // namespace svc::emulator::media
