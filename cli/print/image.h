// Images in the terminal, by the protocol that its environment announces.
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
  Helper,  ///< the program chafa, which uses whatever the terminal supports
};

/// How `terminal` shows an image of that type. Never guesses: if `terminal` is not a terminal, is
/// dumb or does not identify itself, only the helper's characters are used. Inside a multiplexer
/// (tmux, screen) the environment describes the outer terminal, so only the helper is used.
[[nodiscard]] ImageWay image_way(const Environment& environment, const Terminal& terminal,
                                 sv media_type);

/// Encodes a PNG for the kitty graphics protocol, at most `columns` cells wide, in chunks of 4096
/// characters; tells the terminal not to reply.
[[nodiscard]] std::string kitty_image(sv png, int columns);

/// Encodes an iTerm2 inline image, at most `columns` cells wide.
[[nodiscard]] std::string iterm_image(sv bytes, int columns);

/// Returns the escape sequences that show an image at most `columns` cells wide; empty if the bytes
/// cannot be decoded. Not for the helper.
[[nodiscard]] std::string image_text(ImageWay way, sv bytes, int columns);

/// Runs chafa on a file, with its output on standard error. Returns false if it is not installed,
/// fails or takes more than five seconds.
[[nodiscard]] bool run_image_helper(const std::string& path, int columns);

// Images as pixels, for terminals that do not take JPEG: decoded, scaled down, encoded again.

using sv = std::string_view;

struct Pixels {
  std::size_t width = 0;
  std::size_t height = 0;
  std::string rgb{};  ///< three bytes each, row by row
};

/// Decodes a JPEG or PNG, scaled to at most `most` pixels wide and high. Empty if the data is
/// another format, damaged or larger than 64 megapixels, or if libturbojpeg or libpng is not
/// installed.
[[nodiscard]] std::optional<Pixels> decode_picture(sv bytes, std::size_t most);

/// False if these were left out of this build, by SVC_PICTURES=OFF: nothing is decoded then.
[[nodiscard]] bool built_with_pictures() noexcept;

/// Encodes as PNG; empty if libpng is not installed.
[[nodiscard]] std::string png_of(const Pixels& pixels);

/// Encodes as sixels in at most 256 colors, followed by a newline.
[[nodiscard]] std::string sixels_of(const Pixels& pixels);

}  // namespace svc::print
