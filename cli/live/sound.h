// What the commands of sound and speech share.
#pragma once

#include <string>

#include "audio/format.h"
#include "base/result.h"
#include "client/api_client.h"
#include "session/session.h"

namespace svc::cli {

/// `svc sound devices` and --list-devices: a table, or JSON.
[[nodiscard]] Result<void> print_devices(Session& session);

/// What --input-device or the profile names, as open_microphone() takes it; empty: the default.
[[nodiscard]] std::string wanted_input(const Session& session);
/// The same for --output-device and open_speaker().
[[nodiscard]] std::string wanted_output(const Session& session);

/// A bar of how loud it is, from -50 dB to full scale.
[[nodiscard]] std::string level_meter(audio::Level level, bool utf8, int cells = 12);

/// The client's time limits; long texts and recordings may be worked on for 15 minutes before a
/// byte arrives, unless the user has set another --idle-timeout.
[[nodiscard]] http::Timeouts speech_timeouts(const Session& session, const ApiClient& client);

}  // namespace svc::cli
