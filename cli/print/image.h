// Pictures in the terminal, by what its environment says it understands.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "client/settings.h"
#include "print/streams.h"

namespace svc::print {

enum class ImageWay : std::uint8_t {
  None,
  Kitty,   ///< the kitty graphics protocol, which takes PNG
  Iterm,   ///< iTerm2's inline images
  Sixel,   ///< sixels
  Helper,  ///< the program chafa, which draws with whatever the terminal has
};

/// How the terminal behind `terminal` shows a picture of that type. Never a guess: a terminal that
/// is none, is dumb, or does not say who it is gets none but the helper's characters. Inside a
/// multiplexer (tmux, screen) the environment tells of the terminal outside, so that only the
/// helper is left.
[[nodiscard]] ImageWay image_way(const Environment& environment, const Terminal& terminal,
                                 sv media_type);

/// The kitty graphics protocol: a PNG, shown at most this many cells wide, in pieces of 4096
/// characters; the terminal is told not to answer.
[[nodiscard]] std::string kitty_image(sv png, int columns);

/// iTerm2's inline image, shown at most this many cells wide.
[[nodiscard]] std::string iterm_image(sv bytes, int columns);

/// What a terminal is sent to show a picture in this way, at most `columns` cells wide; empty when
/// the bytes cannot be decoded. Not for the helper.
[[nodiscard]] std::string image_text(ImageWay way, sv bytes, int columns);

/// Runs chafa on a file, its output to standard error. False when it is not installed or fails; it
/// is given five seconds.
[[nodiscard]] bool run_image_helper(const std::string& path, int columns);

// Pictures as pixels, for terminals that take no JPEG: decoded, made smaller, encoded anew.

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
