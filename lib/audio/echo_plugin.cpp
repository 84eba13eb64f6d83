// svc-echo.so: echo canceller, noise suppression and gain control of webrtc-audio-processing, 0.3
// or 1.x.
#include "audio/echo_plugin.h"

#include <memory>
#include <new>
#include <utility>

#if __has_include(<modules/audio_processing/include/audio_processing.h>)
#include <modules/audio_processing/include/audio_processing.h>
#define SVC_WEBRTC_1
#else
#include <webrtc/modules/audio_processing/include/audio_processing.h>
#endif

namespace {

#ifdef SVC_WEBRTC_1

constexpr int k_finds_lag = 1;

using Processing = rtc::scoped_refptr<webrtc::AudioProcessing>;

Processing make_processing(const svc_echo_options& options) {
  using Config = webrtc::AudioProcessing::Config;
  Processing processing(webrtc::AudioProcessingBuilder().Create());
  if (processing == nullptr) return processing;
  Config config;
  config.echo_canceller.enabled = options.cancel != 0;
  config.echo_canceller.mobile_mode = false;
  config.high_pass_filter.enabled = true;
  // This canceller has no suppression levels; noise suppression removes more of the residue.
  config.noise_suppression.enabled = options.strong != 0 || options.noise != 0;
  if (options.noise != 0) {
    config.noise_suppression.level =
        options.noise > 1 ? Config::NoiseSuppression::kHigh : Config::NoiseSuppression::kLow;
  }
  config.gain_controller1.enabled = options.gain != 0;
  config.gain_controller1.mode = Config::GainController1::kAdaptiveDigital;
  processing->ApplyConfig(config);
  return processing;
}

#else

constexpr int k_finds_lag = 0;

using Processing = std::unique_ptr<webrtc::AudioProcessing>;

Processing make_processing(const svc_echo_options& options) {
  // Neither DelayAgnostic nor ExtendedFilter: the caller knows the delay, with which 30 dB more of
  // an echo are removed than without.
  Processing processing(webrtc::AudioProcessing::Create());
  if (processing == nullptr) return processing;
  webrtc::EchoCancellation* echo = processing->echo_cancellation();
  // Measured with speech over speech: 40 to 43 dB of the echo are removed (27 to 34 dB without the
  // options above, at the highest level), and an interrupting voice is attenuated by 8 to 17 dB
  // instead of 12 to 24.
  echo->set_suppression_level(options.strong != 0 ? webrtc::EchoCancellation::kHighSuppression
                                                  : webrtc::EchoCancellation::kLowSuppression);
  echo->enable_drift_compensation(false);
  echo->Enable(options.cancel != 0);
  processing->high_pass_filter()->Enable(true);
  webrtc::NoiseSuppression* noise = processing->noise_suppression();
  noise->set_level(options.noise > 1 ? webrtc::NoiseSuppression::kHigh
                                     : webrtc::NoiseSuppression::kLow);
  noise->Enable(options.noise != 0);
  processing->gain_control()->set_mode(webrtc::GainControl::kAdaptiveDigital);
  processing->gain_control()->Enable(options.gain != 0);
  return processing;
}

#endif

struct Canceller {
  Processing processing;
  webrtc::StreamConfig format;
};

void* create(const svc_echo_options* options) {
  Processing processing = make_processing(*options);
  if (processing == nullptr) return nullptr;
  return new (std::nothrow)
      Canceller{std::move(processing), webrtc::StreamConfig(options->rate, 1)};
}

void destroy(void* opaque) {
  delete static_cast<Canceller*>(opaque);
}

int process(void* opaque, float* render, float* capture, int frames) {
  auto& self = *static_cast<Canceller*>(opaque);
  if (static_cast<int>(self.format.num_frames()) != frames) return -1;
  if (const int code =
          self.processing->ProcessReverseStream(&render, self.format, self.format, &render)) {
    return code;
  }
  // A longer delay than the true one would lose an echo; the caller aligns both sides.
  self.processing->set_stream_delay_ms(0);
  return self.processing->ProcessStream(&capture, self.format, self.format, &capture);
}

constexpr svc_echo_functions k_functions{k_svc_echo_version, k_finds_lag, &create, &destroy,
                                         &process};

}  // namespace

extern "C" const svc_echo_functions* svc_echo_plugin() {
  return &k_functions;
}
