// Pictures as pixels, for terminals that take no JPEG: decoded, made smaller, encoded anew.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace svc::print {

using sv = std::string_view;

struct Pixels {
  std::size_t width = 0;
  std::size_t height = 0;
  std::string rgb{};  ///< three bytes each, row by row
};

/// A JPEG or PNG, at most `most` pixels wide and high. Nothing for anything else, for one that is
/// broken or larger than 64 megapixels, and where libturbojpeg or libpng is not installed.
[[nodiscard]] std::optional<Pixels> decode_picture(sv bytes, std::size_t most);

/// As a PNG; empty where libpng is not installed.
[[nodiscard]] std::string png_of(const Pixels& pixels);

/// As sixels in at most 256 colours, with a newline behind them.
[[nodiscard]] std::string sixels_of(const Pixels& pixels);

}  // namespace svc::print
