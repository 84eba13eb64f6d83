// A microphone with less noise, or at a steady volume.
#pragma once

#include <memory>

#include "audio/echo.h"
#include "audio/source.h"

namespace svc::audio {

/// `source` with `enhancement`; itself if that does nothing. Its blocks must have one channel and
/// whole steps of 10 ms. Fails with Fault::Local if the library is missing, or the rate is not a
/// multiple of 100.
[[nodiscard]] Result<std::unique_ptr<Source>> enhance(std::unique_ptr<Source> source,
                                                      Enhancement enhancement);

}  // namespace svc::audio
