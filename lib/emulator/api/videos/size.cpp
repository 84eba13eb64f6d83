#include "emulator/api/videos/size.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"

namespace svc::emulator::videos {
namespace {

constexpr int k_least_side = 32;

int even(double pixels) {
  return std::max(k_least_side, static_cast<int>(std::lround(pixels / 2)) * 2);
}

media::Size sized(double ratio, std::string_view resolution) {
  const int side = resolution == "1080p" ? 1080 : resolution == "720p" ? 720 : 480;
  const double bounded = std::clamp(ratio, 1.0 / 3.0, 3.0);
  if (bounded >= 1) return {even(side * bounded), side};
  return {side, even(side / bounded)};
}

}  // namespace

media::Size video_size(std::string_view ratio, std::string_view resolution) {
  const std::size_t colon = ratio.find(':');
  const auto width = parse_number(ratio.substr(0, colon));
  const auto height = colon == sv::npos ? std::nullopt : parse_number(ratio.substr(colon + 1));
  return sized(width && height && *height > 0 ? *width / *height : 16.0 / 9.0, resolution);
}

media::Size video_size(media::Size like, std::string_view resolution) {
  return sized(static_cast<double>(like.width) / std::max(1, like.height), resolution);
}

media::Size edited_size(media::Size source) {
  constexpr double k_most_pixels = 1920.0 * 1080.0;
  const double pixels = static_cast<double>(source.width) * source.height;
  const double scale = pixels > k_most_pixels ? std::sqrt(k_most_pixels / pixels) : 1.0;
  return {even(source.width * scale), even(source.height * scale)};
}

}  // namespace svc::emulator::videos
