// Speech for realtime sessions, with flite and pocketsphinx.
#include <cmath>

#include <fmt/format.h>

#include "emulator/api/realtime/speech.h"
#include "emulator/sound/recognizer.h"
#include "emulator/sound/speaker.h"
#include "emulator/sound/wide_band.h"

namespace svc::emulator::realtime {
namespace {

class RealSpeech final : public Speech {
 public:
  [[nodiscard]] Result<SpokenAudio> synthesize(const speech::Speech& params) const override {
    speech::Speaker speaker(params);
    SpokenAudio audio;
    for (;;) {
      SVC_TRY(phrase, speaker.next());
      if (!phrase) break;
      audio.samples.insert(audio.samples.end(), phrase->begin(), phrase->end());
    }
    for (const speech::CharTime& time : speaker.times()) {
      audio.ends_ms.push_back(static_cast<std::int64_t>(std::ceil(time.end * 1000)));
    }
    return audio;
  }

  // Loading errors are reported when the library is needed.
  void preload() const override {
    (void)speech::Recognizer::take();  // returned to the pool at once, and remains loaded
    (void)speech::check_flite();
  }

  [[nodiscard]] Result<std::string> hear(std::span<const std::int16_t> samples,
                                         int rate) const override {
    SVC_TRY(recognizer, speech::Recognizer::take());
    recognizer->begin();
    SVC_TRY(resampled, speech::resample(samples, rate, speech::k_listen_rate));
    speech::WideBand wide;
    recognizer->feed(wide.feed(resampled));
    recognizer->feed(wide.finish());
    std::string text;
    for (const speech::RecognizedWord& word : recognizer->finish()) {
      text += fmt::format("{}{}", text.empty() ? "" : " ", word.text);
    }
    return text;
  }
};

}  // namespace

std::shared_ptr<const Speech> make_speech() {
  return std::make_shared<RealSpeech>();
}

}  // namespace svc::emulator::realtime
