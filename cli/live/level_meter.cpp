#include "live/level_meter.h"

#include <algorithm>
#include <cmath>

namespace svc::cli {

std::string level_meter(audio::Level level, bool utf8) {
  constexpr double k_floor = -50;
  constexpr int k_cells = 12;
  const double loud = (audio::decibels(level.rms) - k_floor) / -k_floor;
  const int full = std::clamp(static_cast<int>(std::lround(loud * k_cells)), 0, k_cells);
  std::string meter;
  for (int i = 0; i < k_cells; ++i) {
    meter += i < full ? (utf8 ? "▮" : "#") : (utf8 ? "▯" : "-");
  }
  return meter;
}

}  // namespace svc::cli
