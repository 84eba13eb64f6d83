#include "emulator/sound/parts.h"

#include "emulator/sound/flite.h"
#include "emulator/sound/recognizer.h"
#include "emulator/sound/sound_source.h"

namespace svc::emulator::speech {

std::string speech_parts() {
  std::string text = "Speech: ";
  text += flite_is_built_in() ? "flite speaks" : "built without flite, it does not speak";
  text += recognizer_is_built_in() ? ", pocketsphinx listens"
                                   : ", built without pocketsphinx, it knows no words";
  text += stt::containers_are_built_in() ? ", libsndfile reads sound files."
                                         : ", built without libsndfile, it reads raw audio only.";
  return text;
}

}  // namespace svc::emulator::speech
