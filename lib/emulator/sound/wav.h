// What a caller says, as a WAV file.
#pragma once

#include <string_view>

#include "base/result.h"
#include "emulator/sound/audio_format.h"

namespace svc::emulator::phone {

/// The first channel of a WAV file of 16-bit, mu-law or A-law samples, at `rate`. Usage, with a
/// sentence, when it is none.
[[nodiscard]] Result<realtime::Samples> read_wav(std::string_view bytes, int rate);

}  // namespace svc::emulator::phone
