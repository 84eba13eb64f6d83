#include "emulator/picture/picture.h"

#include <algorithm>

#include <fmt/format.h>

namespace svc::emulator::media {
namespace {

std::size_t offset_of(Size size, int x, int y) {
  return (static_cast<std::size_t>(y) * static_cast<std::size_t>(size.width) +
          static_cast<std::size_t>(x)) *
         3;
}

}  // namespace

Picture::Picture(Size size, Color top, Color bottom)
    : m_size(size), m_bytes(offset_of(size, 0, size.height)) {
  const int whole = std::max(1, size.height - 1);
  for (int y = 0; y < size.height; ++y) {
    const auto mix = [&](int from, int to) {
      return static_cast<std::uint8_t>(from + (to - from) * y / whole);
    };
    for (int x = 0; x < size.width; ++x) {
      std::uint8_t* pixel = m_bytes.data() + offset_of(size, x, y);
      pixel[0] = mix(top.red, bottom.red);
      pixel[1] = mix(top.green, bottom.green);
      pixel[2] = mix(top.blue, bottom.blue);
    }
  }
}

Color Picture::at(int x, int y) const {
  const std::uint8_t* pixel = m_bytes.data() + offset_of(m_size, x, y);
  return {pixel[0], pixel[1], pixel[2]};
}

void Picture::paste(const Picture& other, int x, int y, Size size) {
  const auto scaled = [](int at, int from, int to) {
    return static_cast<int>(static_cast<std::int64_t>(at) * to / from);
  };
  for (int row = 0; row < size.height; ++row) {
    for (int column = 0; column < size.width; ++column) {
      const std::uint8_t* from =
          other.data() + offset_of(other.m_size, scaled(column, size.width, other.m_size.width),
                                   scaled(row, size.height, other.m_size.height));
      std::copy_n(from, 3, m_bytes.data() + offset_of(m_size, x + column, y + row));
    }
  }
}

std::uint64_t stable_hash(std::string_view text) {
  std::uint64_t hash = 0xCBF29CE484222325U;  // FNV-1a
  for (const char c : text) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 0x100000001B3U;
  }
  return hash;
}

Picture draw_picture(std::string_view prompt, std::uint64_t variant,
                     std::span<const Picture> inputs, Size size) {
  const std::uint64_t hash = stable_hash(fmt::format("{} {}", variant, prompt));
  const auto channel = [&](unsigned shift) { return static_cast<std::uint8_t>(hash >> shift); };
  Picture picture(size, {channel(0), channel(8), channel(16)},
                  {channel(24), channel(32), channel(40)});
  const int count = static_cast<int>(inputs.size());
  for (int i = 0; i < count; ++i) {
    picture.paste(inputs[static_cast<std::size_t>(i)], size.width * i / count, size.height / 4,
                  {size.width / count, size.height / 2});
  }
  return picture;
}

}  // namespace svc::emulator::media
