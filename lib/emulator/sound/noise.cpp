#include "emulator/sound/noise.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace svc::emulator::speech {
namespace {

/// One sound: a glide from one pitch to another, or breath.
struct Stroke {
  double from = 0, to = 0;  ///< Hz; 0: breath
  double seconds = 0;
  double gain = 1;
};

struct NoiseRow {
  std::string_view tag;
  Stroke stroke;
  int times = 1;
};

constexpr std::array<NoiseRow, 12> k_rows = {{
    {"hum-tune", {220, 262, 0.3, 0.5}, 4},
    {"laugh", {330, 260, 0.14, 0.7}, 4},
    {"chuckle", {220, 180, 0.12, 0.5}, 3},
    {"giggle", {480, 420, 0.09, 0.5}, 5},
    {"cry", {420, 240, 0.6, 0.6}, 2},
    {"tsk", {0, 0, 0.03, 0.8}, 2},
    {"tongue-click", {1400, 900, 0.02, 0.8}, 1},
    {"lip-smack", {900, 500, 0.03, 0.6}, 1},
    {"breath", {0, 0, 0.4, 0.15}, 1},
    {"inhale", {0, 0, 0.5, 0.2}, 1},
    {"exhale", {0, 0, 0.6, 0.15}, 1},
    {"sigh", {0, 0, 0.8, 0.2}, 1},
}};

void add_stroke(Samples& out, const Stroke& stroke, int rate, double gain) {
  constexpr double k_full = 12'000;
  const auto count = static_cast<std::size_t>(stroke.seconds * rate);
  double phase = 0;
  std::uint32_t random = 12'345;
  for (std::size_t i = 0; i < count; ++i) {
    const double part = static_cast<double>(i) / static_cast<double>(count);
    const double envelope = std::sin(std::numbers::pi * part);
    double value = 0;
    if (stroke.from > 0) {
      phase += 2 * std::numbers::pi * (stroke.from + (stroke.to - stroke.from) * part) / rate;
      value = std::sin(phase) + 0.3 * std::sin(2 * phase);
    } else {
      random = random * 1'664'525U + 1'013'904'223U;
      value = static_cast<double>(random >> 16U) / 32768.0 - 1.0;
    }
    out.push_back(to_sample(value * envelope * stroke.gain * gain * k_full));
  }
}

}  // namespace

Samples make_noise(std::string_view tag, int rate, double gain) {
  const auto* row = std::ranges::find(k_rows, tag, &NoiseRow::tag);
  Samples out;
  if (row == k_rows.end()) return out;
  for (int i = 0; i < row->times; ++i) add_stroke(out, row->stroke, rate, gain);
  out.resize(out.size() + static_cast<std::size_t>(rate) / 10);
  return out;
}

Samples make_hum(double seconds, int rate, double gain) {
  Samples out;
  add_stroke(out, {180, 170, seconds, 0.4}, rate, gain);
  return out;
}

}  // namespace svc::emulator::speech
