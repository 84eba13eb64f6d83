// The only file that uses pocketsphinx directly.
#include "emulator/sound/recognizer.h"

#ifdef SVC_WITH_POCKETSPHINX

#include <algorithm>
#include <array>
#include <mutex>

#include <pocketsphinx/pocketsphinx.h>
#include <sphinxbase/cmn.h>
#include <sphinxbase/err.h>
#include <sphinxbase/feat.h>
#include <unistd.h>

#include "emulator/sound/shared_library.h"

namespace svc::emulator::speech {
namespace sphinx {  // not anonymous: used by Recognizer::Decoder, which has external linkage

constexpr const char* k_sphinx_package = "libpocketsphinx3";
constexpr const char* k_model = "/usr/share/pocketsphinx/model/en-us";
constexpr double k_frame = 0.01;  // seconds

// clang-format off
#define SVC_POCKET_FUNCTIONS(F) \
  F(args, ps_args) \
  F(init, ps_init) \
  F(release, ps_free) \
  F(rewind, ps_start_stream) \
  F(start, ps_start_utt) \
  F(process, ps_process_raw) \
  F(end, ps_end_utt) \
  F(segments, ps_seg_iter) \
  F(next, ps_seg_next) \
  F(word, ps_seg_word) \
  F(frames, ps_seg_frames) \
  F(probability, ps_seg_prob) \
  F(logmath, ps_get_logmath) \
  F(features, ps_get_feat)
// clang-format on
SVC_LIBRARY(PocketFunctions, SVC_POCKET_FUNCTIONS);
// clang-format off
#define SVC_SPHINX_BASE_FUNCTIONS(F) \
  F(configure, cmd_ln_init) \
  F(free_configuration, cmd_ln_free_r) \
  F(exponent, logmath_exp) \
  F(set_mean, cmn_live_set) \
  F(set_log, err_set_logfp)
// clang-format on
SVC_LIBRARY(BaseFunctions, SVC_SPHINX_BASE_FUNCTIONS);
struct SphinxFunctions : PocketFunctions, BaseFunctions {};

inline Result<SphinxFunctions> load_sphinx() {
  // In this order: the second library needs the first, which remains private to both.
  SVC_TRY(base, open_library("libsphinxbase.so.3", "libsphinxbase3"));
  SVC_TRY(pocket, open_library("libpocketsphinx.so.3", k_sphinx_package));
  if (::access(k_model, R_OK) != 0) {
    return Error{Fault::Local, "The model of the speech recognizer is not installed.",
                 "Install the package pocketsphinx-en-us."};
  }
  SVC_TRY(decoding, PocketFunctions::find_in(pocket));
  SVC_TRY(basic, BaseFunctions::find_in(base));
  return SphinxFunctions{decoding, basic};
}

// "and(2)" is an alternative pronunciation of "and"; "<sil>" and "[NOISE]" are not words.
inline std::string plain_word(const char* word) {
  std::string text = word;
  if (text.empty() || text[0] == '<' || text[0] == '[' || text.starts_with("++")) return {};
  return text.substr(0, text.find('('));
}

}  // namespace sphinx

struct Recognizer::Decoder {
  sphinx::SphinxFunctions f{};
  ps_decoder_t* decoder = nullptr;

  Decoder() = default;
  Decoder(const Decoder&) = delete;
  Decoder& operator=(const Decoder&) = delete;
  ~Decoder() {
    if (decoder != nullptr) f.release(decoder);
  }

  [[nodiscard]] std::vector<RecognizedWord> words() const {
    std::vector<RecognizedWord> out;
    logmath_t* logmath = f.logmath(decoder);
    for (ps_seg_t* at = f.segments(decoder); at != nullptr; at = f.next(at)) {
      RecognizedWord word;
      word.text = sphinx::plain_word(f.word(at));
      if (word.text.empty()) continue;
      int first = 0;
      int last = 0;
      f.frames(at, &first, &last);
      word.start = first * sphinx::k_frame;
      word.end = (last + 1) * sphinx::k_frame;
      const int32 log = f.probability(at, nullptr, nullptr, nullptr);
      word.confidence = std::clamp(f.exponent(logmath, log), 0.0, 1.0);
      out.push_back(std::move(word));
    }
    return out;
  }
};

// Loading takes half a second and 60 MB: loaded decoders are reused.
struct Recognizer::Shelf {
  static constexpr std::size_t k_max_idle = 3;
  std::mutex mutex{};
  std::vector<std::unique_ptr<Decoder>> idle{};

  static Shelf& get() {
    static Shelf shelf;
    return shelf;
  }
};

Recognizer::Recognizer(std::unique_ptr<Decoder> decoder) : m_decoder(std::move(decoder)) {}

Result<std::unique_ptr<Recognizer>> Recognizer::take() {
  Shelf& shelf = Shelf::get();
  {
    const std::lock_guard lock(shelf.mutex);
    if (!shelf.idle.empty()) {
      std::unique_ptr<Recognizer> recognizer(new Recognizer(std::move(shelf.idle.back())));
      shelf.idle.pop_back();
      return recognizer;
    }
  }
  SVC_TRY(functions, sphinx::load_sphinx());
  auto decoder = std::make_unique<Decoder>();
  decoder->f = functions;
  functions.set_log(nullptr);  // otherwise it logs to stderr
  const std::string model = sphinx::k_model;
  // Its own silence removal would shift the times of all words; the second pass is slow and
  // corrects few words.
  cmd_ln_t* configuration = functions.configure(
      nullptr, functions.args(), 1, "-hmm", (model + "/en-us").c_str(), "-lm",
      (model + "/en-us.lm.bin").c_str(), "-dict", (model + "/cmudict-en-us.dict").c_str(),
      "-remove_silence", "no", "-remove_noise", "yes", "-maxhmmpf", "3000", "-fwdflat", "no",
      static_cast<char*>(nullptr));
  if (configuration != nullptr) decoder->decoder = functions.init(configuration);
  if (configuration != nullptr) functions.free_configuration(configuration);
  if (decoder->decoder == nullptr) {
    return Error{Fault::Local, "The speech recognizer cannot read its model.",
                 "Install the package pocketsphinx-en-us again."};
  }
  return std::unique_ptr<Recognizer>(new Recognizer(std::move(decoder)));
}

Recognizer::~Recognizer() {
  if (!m_decoder) return;
  // Otherwise the next user would get the words of an unfinished utterance.
  if (m_active) m_decoder->f.end(m_decoder->decoder);
  Shelf& shelf = Shelf::get();
  const std::lock_guard lock(shelf.mutex);
  if (shelf.idle.size() < Shelf::k_max_idle) shelf.idle.push_back(std::move(m_decoder));
}

void Recognizer::begin() {
  // The mean of the model's training data, from its feat.params.
  std::array<mfcc_t, 13> mean = {41.00F, -5.29F, -0.12F, 5.09F,  2.48F,  -4.07F, -1.37F,
                                 -1.78F, -5.08F, -2.05F, -6.45F, -1.42F, 1.17F};
  const auto& f = m_decoder->f;
  f.set_mean(f.features(m_decoder->decoder)->cmn_struct, mean.data());
  f.rewind(m_decoder->decoder);  // times count from here
  f.start(m_decoder->decoder);
  m_active = true;
}

void Recognizer::feed(SampleView samples) {
  m_decoder->f.process(m_decoder->decoder, samples.data(), samples.size(), 0, 0);
}

std::vector<RecognizedWord> Recognizer::partial_result() const {
  return m_decoder->words();
}

std::vector<RecognizedWord> Recognizer::finish() {
  m_active = false;
  m_decoder->f.end(m_decoder->decoder);
  return m_decoder->words();
}

bool recognizer_is_built_in() {
  return true;
}

}  // namespace svc::emulator::speech

#else

namespace svc::emulator::speech {

struct Recognizer::Decoder {};

Recognizer::Recognizer(std::unique_ptr<Decoder> decoder) : m_decoder(std::move(decoder)) {}
Recognizer::~Recognizer() = default;

Result<std::unique_ptr<Recognizer>> Recognizer::take() {
  return Error{
      Fault::Local, "This emulator was built without a speech recognizer.",
      "Install the packages libpocketsphinx-dev and libsphinxbase-dev and build it again."};
}

void Recognizer::begin() {}
void Recognizer::feed(SampleView /*samples*/) {}
std::vector<RecognizedWord> Recognizer::partial_result() const {
  return {};
}
std::vector<RecognizedWord> Recognizer::finish() {
  return {};
}

bool recognizer_is_built_in() {
  return false;
}

}  // namespace svc::emulator::speech

#endif
