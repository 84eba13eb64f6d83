// What is known about this machine's sound: `svc sound test` measures it, `svc doctor` repeats it.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "audio/loop_check.h"
#include "commands/doctor/report.h"
#include "session/session.h"

namespace svc::cli {

/// Hertz that a test works with, as a conversation does.
inline constexpr int k_test_rate = 24'000;

/// The findings about devices, the echo canceller and the last test, without making a sound.
[[nodiscard]] std::vector<Finding> check_sound(Session& session);

/// What a microphone's loudest moments say of it.
[[nodiscard]] Finding judge_microphone(const std::string& name, const audio::Level& level);

/// What was measured of the way from the speaker to the microphone.
[[nodiscard]] Finding judge_loop(const audio::LoopReport& loop);

/// Whether there is a canceller (else why not), and how well it works.
[[nodiscard]] Finding judge_canceller(const std::optional<Error>& missing,
                                      const audio::LoopReport& loop);

/// Keeps the findings of a test for check_sound().
[[nodiscard]] Result<void> keep_sound_test(std::span<const Finding> findings);

}  // namespace svc::cli
