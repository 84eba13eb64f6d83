// Image sizes in pixels.
#pragma once

#include <array>
#include <string_view>

#include "emulator/picture/picture.h"

namespace svc::emulator::images {

/// The ratios of POST /v1/images/generations, documented and newer ones, except "auto".
inline constexpr std::array<std::string_view, 15> k_ratios = {
    "1:1",    "3:4",  "4:3",  "9:16", "16:9", "2:3",  "3:2", "9:19.5",
    "19.5:9", "9:20", "20:9", "1:2",  "2:1",  "21:9", "5:2"};

/// Returns the size for proportions and a resolution ("1k", "1.5k", "2k"; "" is 1k). The documents
/// specify no pixels: here every ratio has about as many as the square of its resolution (sides of
/// 1024, 1536 or 2048), in multiples of 16.
[[nodiscard]] media::Size image_size(double ratio, std::string_view resolution);

/// Returns the ratio that "auto" selects for a prompt: one of five, deterministically.
[[nodiscard]] std::string_view choose_ratio(std::string_view prompt);

}  // namespace svc::emulator::images
