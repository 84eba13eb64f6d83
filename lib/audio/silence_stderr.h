// Sound libraries write to standard error what nobody asked for.
#pragma once

namespace svc::audio {

/// Drops what PortAudio, ALSA and JACK write through the C library's `stderr`: hundreds of lines
/// when devices are looked up, some more when one goes away. Everything else that is written there,
/// and all that goes to descriptor 2 itself, appears as before. For the rest of the program's life;
/// once is enough.
void silence_sound_libraries();

}  // namespace svc::audio
