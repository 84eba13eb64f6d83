// The only file that uses flite directly. Its voices store their features in global variables, so
// only one phrase is spoken at a time.
#include "emulator/sound/flite.h"

#ifdef SVC_WITH_FLITE

#include <algorithm>
#include <array>
#include <cmath>
#include <mutex>

#include <flite/flite.h>

#include "emulator/sound/shared_library.h"

namespace svc::emulator::speech {
namespace {

// clang-format off
#define SVC_FLITE_FUNCTIONS(F) \
  F(init, flite_init) \
  F(synth_text, flite_synth_text) \
  F(set_float, flite_feat_set_float) \
  F(path_float, flite_ffeature_float) \
  F(wave, utt_wave) \
  F(relation, utt_relation) \
  F(head, relation_head) \
  F(next, item_next) \
  F(daughter, item_daughter) \
  F(feat_int, item_feat_int) \
  F(release, delete_utterance)
// clang-format on
SVC_LIBRARY(FliteFunctions, SVC_FLITE_FUNCTIONS);

struct FliteVoice {
  const char* file;
  const char* entry;
  double pitch;    ///< default mean pitch
  double stretch;  ///< the speaker's own speed
};

constexpr std::array<FliteVoice, 4> k_flite_voices = {
    FliteVoice{"libflite_cmu_us_slt.so.1", "register_cmu_us_slt", 165, 1.0},
    FliteVoice{"libflite_cmu_us_rms.so.1", "register_cmu_us_rms", 100, 1.0},
    FliteVoice{"libflite_cmu_us_awb.so.1", "register_cmu_us_awb", 130, 1.0},
    FliteVoice{"libflite_cmu_us_kal16.so.1", "register_cmu_us_kal16", 95, 1.1}};

constexpr const char* k_flite_package = "libflite1";

/// The loaded flite library. Only used under its mutex.
class Engine {
 public:
  static Engine& get() {
    static Engine engine;  // NOLINT: flite itself is global, and so is its lock
    return engine;
  }

  std::mutex mutex{};

  Result<void> load() {
    if (m_loaded) return {};
    SVC_TRY(library, open_library("libflite.so.1", k_flite_package));
    SVC_TRY(functions, FliteFunctions::find_in(library));
    m_functions = functions;
    m_functions.init();
    m_loaded = true;
    return {};
  }

  Result<cst_voice*> voice(BaseVoice base_voice) {
    SVC_CHECK(load());
    const auto index = static_cast<std::size_t>(base_voice);
    if (m_voices[index] != nullptr) return m_voices[index];
    const FliteVoice& speaker = k_flite_voices[index];
    SVC_TRY(library, open_library(speaker.file, k_flite_package));
    cst_voice* (*entry)(const char*) = nullptr;
    if (!library.find(entry, speaker.entry)) {
      return Error{Fault::Local, std::string(speaker.file) + " has no voice."};
    }
    m_voices[index] = entry(nullptr);
    return m_voices[index];
  }

  Result<Synthesis> synthesize(const std::string& text, const VoiceSettings& settings) {
    SVC_TRY(chosen, voice(settings.base_voice));
    const FliteFunctions& f = m_functions;
    const FliteVoice& speaker = k_flite_voices[static_cast<std::size_t>(settings.base_voice)];
    // A smaller person is the same audio played faster, so it is spoken slower first.
    f.set_float(chosen->features, "duration_stretch",
                static_cast<float>(speaker.stretch * settings.size / settings.pace));
    const double pitch = (settings.pitch > 0 ? settings.pitch : speaker.pitch) / settings.size;
    f.set_float(chosen->features, "int_f0_target_mean", static_cast<float>(pitch));
    std::srand(1);  // flite's breathing noise uses rand(): the same text must sound the same
    cst_utterance* utterance = f.synth_text(text.c_str(), chosen);
    if (utterance == nullptr) return Error{Fault::Unexpected, "flite could not speak the text."};
    Synthesis synthesis = read(*utterance, settings.size);
    f.release(utterance);
    return synthesis;
  }

 private:
  [[nodiscard]] Synthesis read(cst_utterance& utterance, double size) const {
    const FliteFunctions& f = m_functions;
    const cst_wave& wave = *f.wave(&utterance);
    Synthesis synthesis;
    // In steps, so that a resampler needs few phases.
    constexpr int k_step = 80;
    synthesis.rate = static_cast<int>(std::lround(wave.sample_rate * size / k_step)) * k_step;
    synthesis.samples.assign(wave.samples, wave.samples + wave.num_samples * wave.num_channels);
    const double scale = double(wave.sample_rate) / synthesis.rate;
    cst_item* token = f.head(f.relation(&utterance, "Token"));
    for (; token != nullptr; token = f.next(token)) {
      TokenTime time;
      time.text_end = static_cast<std::size_t>(std::max(0, f.feat_int(token, "file_pos")));
      bool first = true;
      for (cst_item* word = f.daughter(token); word != nullptr; word = f.next(word)) {
        const double end =
            f.path_float(word, "R:SylStructure.daughtern.daughtern.R:Segment.end") * scale;
        if (end <= 0) continue;  // a word of punctuation only
        if (first) {
          time.start =
              f.path_float(word, "R:SylStructure.daughter1.daughter1.R:Segment.p.end") * scale;
        }
        first = false;
        time.end = end;
      }
      if (!first) synthesis.tokens.push_back(time);
    }
    return synthesis;
  }

  FliteFunctions m_functions{};
  std::array<cst_voice*, k_flite_voices.size()> m_voices{};
  bool m_loaded = false;
};

}  // namespace

Result<void> check_flite() {
  Engine& engine = Engine::get();
  const std::lock_guard lock(engine.mutex);
  return engine.load();
}

Result<Synthesis> synthesize(const std::string& text, const VoiceSettings& settings) {
  Engine& engine = Engine::get();
  const std::lock_guard lock(engine.mutex);
  return engine.synthesize(text, settings);
}

bool flite_is_built_in() {
  return true;
}

}  // namespace svc::emulator::speech

#else

namespace svc::emulator::speech {

Result<void> check_flite() {
  return Error{Fault::Local, "This emulator was built without speech synthesis.",
               "Install the package flite1-dev and build it again."};
}

Result<Synthesis> synthesize(const std::string& /*text*/, const VoiceSettings& /*manner*/) {
  return check_flite().error();
}

bool flite_is_built_in() {
  return false;
}

}  // namespace svc::emulator::speech

#endif
