#include "emulator/api/images/size.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"

namespace svc::emulator::images {
namespace {

constexpr int k_grain = 16;
constexpr double k_extreme = 3.0;  // a longer side than that times the other helps nobody

int side_of(std::string_view resolution) {
  if (resolution == "2k") return 2048;
  return resolution == "1.5k" ? 1536 : 1024;
}

media::Size sized(double ratio, std::string_view resolution) {
  const double side = side_of(resolution);
  const double bounded = std::clamp(ratio, 1 / k_extreme, k_extreme);
  const auto rounded = [](double pixels) {
    return static_cast<int>(std::lround(pixels / k_grain)) * k_grain;
  };
  return {rounded(side * std::sqrt(bounded)), rounded(side / std::sqrt(bounded))};
}

}  // namespace

media::Size image_size(std::string_view ratio, std::string_view resolution) {
  const std::size_t colon = ratio.find(':');
  const auto width = parse_number(ratio.substr(0, colon));
  const auto height = colon == sv::npos ? std::nullopt : parse_number(ratio.substr(colon + 1));
  return sized(width && height && *height > 0 ? *width / *height : 1.0, resolution);
}

media::Size image_size(media::Size like, std::string_view resolution) {
  return sized(static_cast<double>(like.width) / std::max(1, like.height), resolution);
}

std::string_view choose_ratio(std::string_view prompt) {
  constexpr std::array<sv, 5> k_usual = {"1:1", "3:2", "2:3", "16:9", "9:16"};
  return k_usual[media::stable_hash(prompt) % k_usual.size()];
}

}  // namespace svc::emulator::images
