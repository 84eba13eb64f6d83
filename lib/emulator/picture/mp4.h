// Encodes images as H.264 with OpenH264, and handles MP4 files (ISO/IEC 14496-12, -15): writes one
// H.264 track, reads the properties of a video.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "emulator/picture/picture.h"

namespace svc::emulator::videos {

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
[[nodiscard]] Result<std::string> make_video(media::Size size, double seconds);

}  // namespace svc::emulator::videos
