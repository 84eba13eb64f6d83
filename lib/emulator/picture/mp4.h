// MP4 files (ISO/IEC 14496-12, -15): written with one H.264 track, read for what their video is.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "emulator/picture/h264.h"

namespace svc::emulator::videos {

/// The file, with what a player needs to begin before the pictures: `count` samples, those of the
/// stream again and again. The first must be a key.
[[nodiscard]] std::string write_mp4(const Stream& stream, media::Size size, int pictures_per_second,
                                    std::size_t count);

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
