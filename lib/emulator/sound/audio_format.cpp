#include "emulator/sound/audio_format.h"

#include "audio/resampler.h"

namespace svc::emulator::speech {

Result<Samples> resample(SampleView samples, int from_rate, int to_rate) {
  SVC_TRY(resampler, audio::Resampler::create(1, from_rate, to_rate));
  Samples out;
  resampler.process(samples, out);
  resampler.flush(out);
  return out;
}

}  // namespace svc::emulator::speech
