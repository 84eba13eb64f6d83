// Films drawn from a prompt: a still background with the words, a ball and a bar that move, and
// the time. Films and pictures that were given are shown in it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "emulator/picture/canvas.h"
#include "emulator/picture/frame.h"
#include "emulator/picture/picture.h"

namespace svc::emulator::videos {

inline constexpr int k_frames_per_second = 6;

/// A picture that takes over at a time.
struct Scene {
  double time_s = 0;
  media::Canvas picture{};
};

/// The source of an edit or extension.
struct Footage {
  std::vector<Frame> frames{};  ///< at k_frames_per_second; empty: a codec that is not read here
  std::string codec{};
  int width = 0;
  int height = 0;
  double duration_s = 0;
};

struct Script {
  std::string prompt{};
  std::string model{};
  media::Size size{};
  int duration_s = 0;                     ///< of what is new
  std::vector<media::Canvas> pictures{};  ///< shown all the time
  std::vector<Scene> scenes{};            ///< by time
  Footage footage{};
  bool extends = false;  ///< the footage comes first; else it is shown inside
  std::string note{};
};

/// The film as an MP4 file.
[[nodiscard]] Result<std::string> shoot(const Script& script);

/// How long the result is, in seconds: for an extension both parts.
[[nodiscard]] double length_of(const Script& script);

/// Reads an MP4 file: sizes and duration always, frames of H.264. Usage when it is none.
/// `with_frames`: false leaves the frames out.
[[nodiscard]] Result<Footage> read_footage(std::string_view file, bool with_frames);

}  // namespace svc::emulator::videos
