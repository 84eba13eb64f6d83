// MP4 files (ISO/IEC 14496-12, -15): written with one H.264 track, read for the track that there
// is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "emulator/picture/h264.h"

namespace svc::emulator::videos {

struct Film {
  int width = 0;
  int height = 0;
  int frames_per_second = 0;
  std::string sps{};
  std::string pps{};
  std::vector<Sample> samples{};
  std::string title{};  ///< shown by players
};

/// The file, with what a player needs to begin before the frames themselves.
[[nodiscard]] std::string write_mp4(const Film& film);

/// Where a sample lies in the file, and when it is shown.
struct SamplePlace {
  std::size_t offset = 0;
  std::size_t size = 0;
  double time_s = 0;
};

/// A video track that was read.
struct Mp4Track {
  std::string codec{};  ///< "avc1", "hvc1", "av01", …
  int width = 0;
  int height = 0;
  double duration_s = 0;
  std::vector<SamplePlace> samples{};     ///< in the order of the file, which is that of decoding
  int length_size = 4;                    ///< of the NAL units of H.264
  std::vector<std::string> parameters{};  ///< the parameter sets of H.264
};

/// The first video track. Usage, with what is wrong, when these bytes are no MP4 with one.
[[nodiscard]] Result<Mp4Track> read_mp4(std::string_view file);

}  // namespace svc::emulator::videos
