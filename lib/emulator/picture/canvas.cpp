#include "emulator/picture/canvas.h"

#include <algorithm>
#include <cmath>

#include "emulator/picture/font.h"

namespace svc::emulator::media {
namespace {

constexpr int k_opaque = 256;

std::uint8_t mix(int from, int to, int part, int whole) {
  return static_cast<std::uint8_t>(from + (to - from) * part / whole);
}

}  // namespace

Canvas::Canvas(int width, int height)
    : m_width(width),
      m_height(height),
      m_bytes(static_cast<std::size_t>(width) * static_cast<std::size_t>(height) * 3) {}

Color Canvas::at(int x, int y) const {
  const auto* pixel = m_bytes.data() + (static_cast<std::ptrdiff_t>(y) * m_width + x) * 3;
  return {pixel[0], pixel[1], pixel[2]};
}

void Canvas::blend(int y, int left, int right, Color color, int opacity) {
  left = std::max(left, 0);
  right = std::min(right, m_width);
  if (y < 0 || y >= m_height || left >= right) return;
  auto* pixel = m_bytes.data() + (static_cast<std::ptrdiff_t>(y) * m_width + left) * 3;
  const auto* const end = pixel + static_cast<std::ptrdiff_t>(right - left) * 3;
  for (; pixel != end; pixel += 3) {
    pixel[0] = mix(pixel[0], color.red, opacity, k_opaque);
    pixel[1] = mix(pixel[1], color.green, opacity, k_opaque);
    pixel[2] = mix(pixel[2], color.blue, opacity, k_opaque);
  }
}

void Canvas::fill_gradient(Color top, Color bottom) {
  const int whole = std::max(1, m_height - 1);
  for (int y = 0; y < m_height; ++y) {
    const Color color{mix(top.red, bottom.red, y, whole), mix(top.green, bottom.green, y, whole),
                      mix(top.blue, bottom.blue, y, whole)};
    blend(y, 0, m_width, color, k_opaque);
  }
}

void Canvas::fill(const Box& box, Color color, int opacity) {
  for (int y = box.y; y < box.y + box.height; ++y) {
    blend(y, box.x, box.x + box.width, color, opacity);
  }
}

void Canvas::fill_circle(int x, int y, int radius, Color color, int opacity) {
  for (int row = -radius; row <= radius; ++row) {
    const int half = static_cast<int>(
        std::sqrt(static_cast<double>(radius) * radius - static_cast<double>(row) * row));
    blend(y + row, x - half, x + half + 1, color, opacity);
  }
}

void Canvas::fill_triangle(const Box& box, Color color, int opacity) {
  const int middle = box.x + box.width / 2;
  for (int row = 0; row < box.height; ++row) {
    const int half = box.width * row / (2 * std::max(1, box.height));
    blend(box.y + row, middle - half, middle + half + 1, color, opacity);
  }
}

void Canvas::paste(const Canvas& picture, const Box& box) {
  if (box.width <= 0 || box.height <= 0 || picture.width() == 0) return;
  for (int y = std::max(0, box.y); y < std::min(m_height, box.y + box.height); ++y) {
    const auto from_y = static_cast<std::int64_t>(y - box.y) * picture.height() / box.height;
    for (int x = std::max(0, box.x); x < std::min(m_width, box.x + box.width); ++x) {
      const auto from_x = static_cast<std::int64_t>(x - box.x) * picture.width() / box.width;
      const auto* from = picture.data() + (from_y * picture.width() + from_x) * 3;
      auto* to = m_bytes.data() + (static_cast<std::ptrdiff_t>(y) * m_width + x) * 3;
      std::copy_n(from, 3, to);
    }
  }
}

void Canvas::write(int x, int y, int scale, std::u32string_view text, Color color) {
  for (const char32_t character : text) {
    for_each_dot(character, [&](int column, int row) {
      fill({x + column * scale, y + row * scale, scale, scale}, color);
    });
    x += k_cell_width * scale;
  }
}

}  // namespace svc::emulator::media
