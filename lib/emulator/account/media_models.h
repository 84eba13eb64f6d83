// The image and video models that the emulator pretends to have, and what they cost.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace svc::emulator::media {

enum class Product : std::uint8_t { Image, Video };

struct MediaModel {
  std::string_view name;
  Product product = Product::Image;
  std::string_view version;
  std::span<const std::string_view> aliases{};
  std::int64_t created = 0;  ///< Unix seconds
  std::int64_t price = 0;    ///< ticks per image of 1k, or per second of 480p
  bool full_hd = false;      ///< makes 1080p
};

[[nodiscard]] std::span<const MediaModel> media_models();

/// The model of that name or alias that makes `product`, or null.
[[nodiscard]] const MediaModel* find_media_model(Product product, std::string_view name);

}  // namespace svc::emulator::media
