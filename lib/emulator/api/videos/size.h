// How many pixels a video has.
#pragma once

#include <array>
#include <string_view>

#include "emulator/picture/picture.h"

namespace svc::emulator::videos {

/// The ratios of POST /v1/videos/generations.
inline constexpr std::array<std::string_view, 7> k_ratios = {"1:1", "16:9", "9:16", "4:3",
                                                             "3:4", "3:2",  "2:3"};

/// "480p" is 480 pixels on the shorter side; "" is 480p.
[[nodiscard]] media::Size video_size(std::string_view ratio, std::string_view resolution);

/// The same for the proportions of `like`, within 1:3 and 3:1.
[[nodiscard]] media::Size video_size(media::Size like, std::string_view resolution);

/// The size of what is made from a film of that size: the same, even, and not larger than 1080p.
[[nodiscard]] media::Size edited_size(media::Size source);

}  // namespace svc::emulator::videos
