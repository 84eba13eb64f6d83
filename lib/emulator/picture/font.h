// A small font of dots: ASCII, the letters of Western European languages, a box for the rest.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace svc::emulator::media {

/// What one character takes, gaps to its neighbours included: two rows for accents, seven for the
/// letter, two below.
inline constexpr int k_cell_width = 6;
inline constexpr int k_cell_height = 11;

/// The rows of a cell; bit 4 is the leftmost dot.
using Glyph = std::array<std::uint8_t, k_cell_height>;

[[nodiscard]] Glyph find_glyph(char32_t character);

/// Calls draw(column, row) for each dot of the character.
template <typename Draw>
void for_each_dot(char32_t character, Draw&& draw) {
  const Glyph glyph = find_glyph(character);
  for (int row = 0; row < k_cell_height; ++row) {
    for (int column = 0; column < 5; ++column) {
      if ((glyph[static_cast<std::size_t>(row)] >> (4 - column)) & 1U) draw(column, row);
    }
  }
}

/// The text in lines of at most `columns` characters, broken at blanks where there are some. At
/// most `lines` lines: what is cut off leaves "..." at the end. Tabs count as blanks, other control
/// and combining characters as nothing.
[[nodiscard]] std::vector<std::u32string> wrap_text(std::string_view text, std::size_t columns,
                                                    std::size_t lines);

}  // namespace svc::emulator::media
