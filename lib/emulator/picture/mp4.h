// Encodes images as H.264 with OpenH264, and handles MP4 files (ISO/IEC 14496-12, -15): writes one
// H.264 track, reads the properties of a video.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "emulator/picture/picture.h"

namespace svc::emulator::videos {

/// One image as stored in an MP4: NAL units, each preceded by its length in four bytes.
struct Sample {
  std::string bytes{};
  bool key = false;  ///< can be decoded without earlier samples
};

struct Stream {
  std::string sps{};  ///< the parameter sets, as NAL units
  std::string pps{};
  std::vector<Sample> samples{};  ///< one per image
};

/// All must have the same size, with even sides.
[[nodiscard]] Result<Stream> encode(std::span<const media::Picture> pictures,
                                    int pictures_per_second);

/// The properties of a video track.
struct Mp4Track {
  std::string codec{};  ///< "avc1", "hvc1", "av01", …
  media::Size size{};
  double duration_s = 0;
};

/// Returns the first video track, or Usage, with the reason, if the bytes are not an MP4 with a
/// video.
[[nodiscard]] Result<Mp4Track> read_mp4(std::string_view file);

/// Creates a video of this size and duration. Its content does not depend on the prompt.
[[nodiscard]] Result<std::string> make_film(media::Size size, double seconds);

}  // namespace svc::emulator::videos
