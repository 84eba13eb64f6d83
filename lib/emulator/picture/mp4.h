// Pictures to H.264 by OpenH264, and MP4 files (ISO/IEC 14496-12, -15): written with one H.264
// track, read for what their video is.
#pragma once

#include <span>
#include <string>
#include <string_view>
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

/// A video track that was read.
struct Mp4Track {
  std::string codec{};  ///< "avc1", "hvc1", "av01", …
  media::Size size{};
  double duration_s = 0;
};

/// The first video track. Usage, with what is wrong, when these bytes are no MP4 with one.
[[nodiscard]] Result<Mp4Track> read_mp4(std::string_view file);

/// A video of this size and duration. Its content does not depend on the prompt.
[[nodiscard]] Result<std::string> make_film(media::Size size, double seconds);

}  // namespace svc::emulator::videos
