// The video operations of the emulator.
#pragma once

#include <chrono>
#include <vector>

#include "emulator/handler/handler.h"

namespace svc::emulator {

struct VideoOptions {
  /// How long a video takes. A request may ask for another time with the header
  /// `x-emulator-video-ms`.
  std::chrono::milliseconds render_time{3000};
};

/// POST /v1/videos/generations, /edits and /extensions, GET /v1/videos/{request_id}. The prompt
/// chooses how it ends: `Refuse: …` is done but blocked by moderation, `Fail with: [CODE:] MESSAGE`
/// fails, `Expire: …` expires, any other is done.
[[nodiscard]] std::vector<Route> video_routes(VideoOptions options = {});

}  // namespace svc::emulator
