// How many pixels an image has.
#pragma once

#include <array>
#include <string_view>

#include "emulator/picture/picture.h"

namespace svc::emulator::images {

/// The ratios of POST /v1/images/generations, documented and newer; "auto" is not among them.
inline constexpr std::array<std::string_view, 15> k_ratios = {
    "1:1",    "3:4",  "4:3",  "9:16", "16:9", "2:3",  "3:2", "9:19.5",
    "19.5:9", "9:20", "20:9", "1:2",  "2:1",  "21:9", "5:2"};

/// The size for a ratio and a resolution ("1k", "1.5k", "2k"; "" is 1k). The documents give no
/// pixels: here every ratio has about as many as the square of its resolution (1024, 1536 or 2048
/// on a side), in multiples of 16.
[[nodiscard]] media::Size image_size(std::string_view ratio, std::string_view resolution);

/// The same for the proportions of `like`.
[[nodiscard]] media::Size image_size(media::Size like, std::string_view resolution);

/// What "auto" means for a prompt: one of five ratios, always the same one.
[[nodiscard]] std::string_view choose_ratio(std::string_view prompt);

}  // namespace svc::emulator::images
