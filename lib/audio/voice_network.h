// Two small networks, trained on simulated rooms: whether a step of 10 ms belongs to a voice, and
// whether what was detected is one and not an echo.
#pragma once

#include <array>
#include <cstddef>

namespace svc::audio::voice_network {

/// By how much the step exceeds noise and echo: made by VoiceDetector.
using StepInputs = std::array<float, 17>;
/// How like what was played it is, and the inputs of its last step: made by FrontEnd.
using CheckInputs = std::array<float, 28>;

/// The natural logarithm of the odds that somebody speaks.
[[nodiscard]] float odds(const StepInputs& inputs);
[[nodiscard]] float odds(const CheckInputs& inputs);

}  // namespace svc::audio::voice_network
