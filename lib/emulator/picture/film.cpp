// The film of every prompt: a square on two colours, which crosses the picture once a second.
#include <algorithm>
#include <cmath>

#include "emulator/picture/mp4.h"

namespace svc::emulator::videos {
namespace {

constexpr int k_pictures_per_second = 6;

}  // namespace

Result<std::string> make_film(media::Size size, double seconds) {
  const media::Picture ground(size, {32, 72, 128}, {224, 160, 96});
  const int side = std::min(size.width, size.height) / 4;
  const media::Picture square({1, 1}, {255, 255, 255}, {});
  std::vector<media::Picture> second(k_pictures_per_second, ground);
  for (int i = 0; i < k_pictures_per_second; ++i) {
    second[static_cast<std::size_t>(i)].paste(square,
                                              (size.width - side) * i / (k_pictures_per_second - 1),
                                              (size.height - side) / 2, {side, side});
  }
  SVC_TRY(stream, encode(second, k_pictures_per_second));
  const auto count = std::max(1L, std::lround(seconds * k_pictures_per_second));
  return write_mp4(stream, size, k_pictures_per_second, static_cast<std::size_t>(count));
}

}  // namespace svc::emulator::videos
