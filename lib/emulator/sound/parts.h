// What of speech is built in, for the version and the start line.
#pragma once

#include <string>

namespace svc::emulator::speech {

/// "Speech: flite speaks, pocketsphinx listens, libsndfile reads sound files." or what is missing.
[[nodiscard]] std::string speech_parts();

}  // namespace svc::emulator::speech
