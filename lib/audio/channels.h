// One channel as several, several as one.
#pragma once

#include <span>
#include <vector>

#include "audio/format.h"

namespace svc::audio {

/// Appends the frames of `in` with `to` channels: one becomes all of them, several become one by
/// their mean; else the first ones, the last repeated.
void change_channels(std::span<const Sample> in, int from, int to, std::vector<Sample>& out);

}  // namespace svc::audio
