// Findings about this machine's audio: measured by `svc sound test`, repeated by `svc doctor`.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "audio/echo_measurement.h"
#include "commands/doctor/report.h"
#include "session/session.h"

namespace svc::cli {

/// Sample rate of a test in Hz; that of a conversation.
inline constexpr int k_test_rate = 24'000;

/// The findings about devices, the echo canceller and the last test; plays and records nothing.
[[nodiscard]] std::vector<Finding> check_sound(Session& session);

/// Judges a microphone by its loudest moments.
[[nodiscard]] Finding assess_microphone(const std::string& name, const audio::Level& level);

/// Judges the path from the speaker to the microphone.
[[nodiscard]] Finding assess_loop(const audio::EchoReport& loop);

/// Reports how long sound takes through both devices, with this --latency; `heard`: by air, not as
/// the devices say.
[[nodiscard]] Finding assess_delay(std::optional<audio::Milliseconds> delay, bool heard,
                                   const std::string& latency);

/// How well the echo is canceled, and what is missing for the rest.
[[nodiscard]] Finding assess_canceller(const std::optional<Error>& missing,
                                       const audio::EchoReport& loop);

/// Saves the findings of a test for check_sound().
[[nodiscard]] Result<void> save_sound_test(std::span<const Finding> findings);

}  // namespace svc::cli
