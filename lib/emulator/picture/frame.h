// One picture of a film as a codec takes it: luma, and chroma at half the size (I420).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "emulator/picture/canvas.h"

namespace svc::emulator::videos {

/// A colour as luma and chroma (BT.601, video range).
struct Tint {
  std::uint8_t y = 16;
  std::uint8_t u = 128;
  std::uint8_t v = 128;
};

inline constexpr Tint k_white{235, 128, 128};
inline constexpr Tint k_black{16, 128, 128};

struct Plane {
  int width = 0;
  int height = 0;
  std::vector<std::uint8_t> bytes{};

  [[nodiscard]] std::uint8_t* row(int y) {
    return bytes.data() + static_cast<std::ptrdiff_t>(y) * width;
  }
  [[nodiscard]] const std::uint8_t* row(int y) const {
    return bytes.data() + static_cast<std::ptrdiff_t>(y) * width;
  }
};

/// Both sizes are even. What lies outside is not drawn; chroma is drawn in steps of two pixels.
class Frame {
 public:
  Frame() = default;
  /// Black.
  Frame(int width, int height);
  /// The picture, whose sizes must be even.
  explicit Frame(const media::Canvas& picture);

  [[nodiscard]] int width() const { return m_y.width; }
  [[nodiscard]] int height() const { return m_y.height; }
  [[nodiscard]] Plane& plane(int index) { return index == 0 ? m_y : index == 1 ? m_u : m_v; }
  [[nodiscard]] const Plane& plane(int index) const {
    return index == 0 ? m_y : index == 1 ? m_u : m_v;
  }

  void fill(const media::Box& box, Tint tint);
  void fill_circle(int x, int y, int radius, Tint tint);
  /// `frame`, stretched to `box`.
  void paste(const Frame& frame, const media::Box& box);
  /// One line of text in the emulator's font.
  void write(int x, int y, int scale, std::u32string_view text, Tint tint);

 private:
  Plane m_y{};
  Plane m_u{};
  Plane m_v{};
};

}  // namespace svc::emulator::videos
