// The image operations of the emulator.
#pragma once

#include <chrono>
#include <vector>

#include "emulator/handler/handler.h"

namespace svc::emulator {

struct ImageOptions {
  /// How long a deferred image takes.
  std::chrono::milliseconds deferred_delay{1000};
};

/// POST /v1/images/generations, POST /v1/images/edits and GET /v1/images/{request_id}. A prompt
/// that begins with `Refuse:` gives images that moderation blocked, one that begins with `Fail
/// with: X` fails with 503 (deferred: with status failed).
[[nodiscard]] std::vector<Route> image_routes(ImageOptions options = {});

}  // namespace svc::emulator
