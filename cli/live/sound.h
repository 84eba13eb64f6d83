// Sound devices, as the commands that use them show and choose them.
#pragma once

#include <string>

#include "base/result.h"
#include "session/session.h"

namespace svc::cli {

/// `svc sound devices` and --list-devices: a table, or JSON.
[[nodiscard]] Result<void> print_devices(Session& session);

/// What --input-device or the profile names, as open_microphone() takes it; empty: the default.
[[nodiscard]] std::string wanted_input(const Session& session);
/// The same for --output-device and open_speaker().
[[nodiscard]] std::string wanted_output(const Session& session);

}  // namespace svc::cli
