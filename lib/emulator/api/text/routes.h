// The text operations of the emulator: chat, deferred chat, Responses and compaction.
#pragma once

#include <chrono>
#include <vector>

#include "emulator/handler/handler.h"

namespace svc::emulator {

struct TextOptions {
  /// Between the words of a streamed answer. A request may ask for another with the header
  /// `x-emulator-delay-ms`.
  std::chrono::milliseconds piece_delay{10};
  /// How long a deferred answer takes.
  std::chrono::milliseconds deferred_delay{1000};
};

/// POST /v1/chat/completions, GET /v1/chat/deferred-completion/{request_id}, POST /v1/responses,
/// GET and DELETE /v1/responses/{response_id}, GET /v1/responses/{response_id}/input_items and
/// POST /v1/responses/compact.
[[nodiscard]] std::vector<Route> text_routes(TextOptions options = {});

}  // namespace svc::emulator
