// Pictures to H.264 by OpenH264, as samples of an MP4.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "emulator/picture/picture.h"

namespace svc::emulator::videos {

/// One picture as an MP4 holds it: NAL units, each behind its length in four bytes.
struct Sample {
  std::string bytes{};
  bool key = false;  ///< it can be decoded without those before it
};

struct Stream {
  std::string sps{};  ///< the parameter sets, as NAL units
  std::string pps{};
  std::vector<Sample> samples{};  ///< one per picture
};

/// All of one size, whose sides are even.
[[nodiscard]] Result<Stream> encode(std::span<const media::Picture> pictures,
                                    int pictures_per_second);

}  // namespace svc::emulator::videos
