// How long speech operations may take.
#pragma once

#include <chrono>

#include "client/api_client.h"
#include "session/session.h"

namespace svc::cli {

/// The caller's times; long texts and recordings may be worked on for 15 minutes before a byte
/// arrives, unless the user has set another --idle-timeout.
[[nodiscard]] inline http::Timeouts speech_timeouts(const Session& session,
                                                    const ApiClient& client) {
  http::Timeouts times = client.policy().timeouts;
  if (session.settings().idle_timeout.source == "built in") times.idle = std::chrono::minutes(15);
  return times;
}

}  // namespace svc::cli
