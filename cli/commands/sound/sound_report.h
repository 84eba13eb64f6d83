// Findings about this machine's audio: measured by `svc sound test`, repeated by `svc doctor`.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "audio/loop_check.h"
#include "commands/doctor/report.h"
#include "session/session.h"

namespace svc::cli {

/// Sample rate of a test in Hz; that of a conversation.
inline constexpr int k_test_rate = 24'000;

/// The findings about devices, the echo canceller and the last test; plays and records nothing.
[[nodiscard]] std::vector<Finding> check_sound(Session& session);

/// Judges a microphone by its loudest moments.
[[nodiscard]] Finding judge_microphone(const std::string& name, const audio::Level& level);

/// Judges the path from the speaker to the microphone.
[[nodiscard]] Finding judge_loop(const audio::LoopReport& loop);

/// Whether an echo canceller is available (else why not), and how well it works.
[[nodiscard]] Finding judge_canceller(const std::optional<Error>& missing,
                                      const audio::LoopReport& loop);

/// Saves the findings of a test for check_sound().
[[nodiscard]] Result<void> keep_sound_test(std::span<const Finding> findings);

}  // namespace svc::cli
