// A picture in memory, and the few shapes that the emulator draws.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace svc::emulator::media {

struct Color {
  std::uint8_t red = 0;
  std::uint8_t green = 0;
  std::uint8_t blue = 0;
  friend bool operator==(const Color&, const Color&) = default;
};

struct Box {
  int x = 0;
  int y = 0;
  int width = 0;
  int height = 0;
};

/// Eight bits of red, green and blue per pixel, rows from the top without gaps. What lies outside
/// is not drawn. `opacity` runs from 0 to 256, which hides what was there.
class Canvas {
 public:
  Canvas() = default;
  /// Black. Both sizes must be positive.
  Canvas(int width, int height);

  [[nodiscard]] int width() const { return m_width; }
  [[nodiscard]] int height() const { return m_height; }
  [[nodiscard]] Color at(int x, int y) const;
  [[nodiscard]] const std::uint8_t* data() const { return m_bytes.data(); }
  [[nodiscard]] std::uint8_t* data() { return m_bytes.data(); }

  /// From `top` to `bottom` by rows.
  void fill_gradient(Color top, Color bottom);
  void fill(const Box& box, Color color, int opacity = 256);
  void fill_circle(int x, int y, int radius, Color color, int opacity = 256);
  /// A triangle with a level base below its tip.
  void fill_triangle(const Box& box, Color color, int opacity = 256);
  /// `picture`, stretched to `box`.
  void paste(const Canvas& picture, const Box& box);
  /// One line of text in the emulator's font (font.h), its upper left corner at x, y.
  void write(int x, int y, int scale, std::u32string_view text, Color color);

 private:
  void blend(int y, int left, int right, Color color, int opacity);

  int m_width = 0;
  int m_height = 0;
  std::vector<std::uint8_t> m_bytes{};
};

}  // namespace svc::emulator::media
