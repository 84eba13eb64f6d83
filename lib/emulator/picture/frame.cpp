#include "emulator/picture/frame.h"

#include <algorithm>
#include <cmath>

#include "emulator/picture/font.h"

namespace svc::emulator::videos {
namespace {

using media::Box;

Plane make_plane(int width, int height, std::uint8_t value) {
  const auto size = static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
  return {width, height, std::vector<std::uint8_t>(size, value)};
}

void fill_plane(Plane& plane, const Box& box, std::uint8_t value) {
  const int left = std::clamp(box.x, 0, plane.width);
  const int right = std::clamp(box.x + box.width, left, plane.width);
  for (int y = std::max(0, box.y); y < std::min(plane.height, box.y + box.height); ++y) {
    std::fill(plane.row(y) + left, plane.row(y) + right, value);
  }
}

void paste_plane(Plane& to, const Plane& from, const Box& box) {
  if (box.width <= 0 || box.height <= 0 || from.width == 0) return;
  const int left = std::max(0, box.x);
  const int right = std::min(to.width, box.x + box.width);
  for (int y = std::max(0, box.y); y < std::min(to.height, box.y + box.height); ++y) {
    const auto source = static_cast<std::int64_t>(y - box.y) * from.height / box.height;
    const std::uint8_t* in = from.row(static_cast<int>(source));
    std::uint8_t* out = to.row(y);
    for (int x = left; x < right; ++x) {
      out[x] = in[static_cast<std::int64_t>(x - box.x) * from.width / box.width];
    }
  }
}

Box halved(const Box& box) {
  return {box.x / 2, box.y / 2, (box.width + 1) / 2, (box.height + 1) / 2};
}

std::uint8_t luma(media::Color c) {
  return static_cast<std::uint8_t>(16 + (66 * c.red + 129 * c.green + 25 * c.blue + 128) / 256);
}

// Of the pixel at the upper left of each four.
void set_chroma(const media::Canvas& picture, Plane& u, Plane& v) {
  for (int y = 0; y < u.height; ++y) {
    for (int x = 0; x < u.width; ++x) {
      const media::Color c = picture.at(2 * x, 2 * y);
      u.row(y)[x] =
          static_cast<std::uint8_t>(128 + (-38 * c.red - 74 * c.green + 112 * c.blue) / 256);
      v.row(y)[x] =
          static_cast<std::uint8_t>(128 + (112 * c.red - 94 * c.green - 18 * c.blue) / 256);
    }
  }
}

}  // namespace

Frame::Frame(int width, int height)
    : m_y(make_plane(width, height, k_black.y)),
      m_u(make_plane(width / 2, height / 2, k_black.u)),
      m_v(make_plane(width / 2, height / 2, k_black.v)) {}

Frame::Frame(const media::Canvas& picture) : Frame(picture.width(), picture.height()) {
  for (int y = 0; y < height(); ++y) {
    for (int x = 0; x < width(); ++x) m_y.row(y)[x] = luma(picture.at(x, y));
  }
  set_chroma(picture, m_u, m_v);
}

void Frame::fill(const Box& box, Tint tint) {
  fill_plane(m_y, box, tint.y);
  fill_plane(m_u, halved(box), tint.u);
  fill_plane(m_v, halved(box), tint.v);
}

void Frame::fill_circle(int x, int y, int radius, Tint tint) {
  for (int row = -radius; row < radius; row += 2) {
    const int half = static_cast<int>(
        std::sqrt(static_cast<double>(radius) * radius - static_cast<double>(row) * row));
    fill({(x - half) / 2 * 2, (y + row) / 2 * 2, half * 2, 2}, tint);
  }
}

void Frame::paste(const Frame& frame, const Box& box) {
  paste_plane(m_y, frame.m_y, box);
  paste_plane(m_u, frame.m_u, halved(box));
  paste_plane(m_v, frame.m_v, halved(box));
}

void Frame::write(int x, int y, int scale, std::u32string_view text, Tint tint) {
  for (const char32_t character : text) {
    media::for_each_dot(character, [&](int column, int row) {
      fill({x + column * scale, y + row * scale, scale, scale}, tint);
    });
    x += media::k_cell_width * scale;
  }
}

}  // namespace svc::emulator::videos
