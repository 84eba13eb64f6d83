// The only file that uses pocketsphinx directly.
#include "emulator/sound/listener.h"

#include <fmt/ranges.h>

#ifdef SVC_WITH_POCKETSPHINX
#if SVC_WITH_POCKETSPHINX < 5
#include <pocketsphinx/pocketsphinx.h>
#include <sphinxbase/cmn.h>
#include <sphinxbase/err.h>
#include <sphinxbase/feat.h>
#else
#include <pocketsphinx.h>
#endif
#include <unistd.h>
#endif

namespace svc::emulator::speech {
#ifdef SVC_WITH_POCKETSPHINX
namespace {

constexpr double k_frame = 0.01;  // seconds
/// The mean of the model's training data, from its feat.params.
constexpr std::array<float, 13> k_mean = {41.00F, -5.29F, -0.12F, 5.09F,  2.48F,  -4.07F, -1.37F,
                                          -1.78F, -5.08F, -2.05F, -6.45F, -1.42F, 1.17F};

// clang-format off
#define SVC_SPHINX_FUNCTIONS(F) \
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
  F(exponent, logmath_exp) \
  F(set_log, err_set_logfp)
// clang-format on
SVC_LIBRARY(CommonFunctions, SVC_SPHINX_FUNCTIONS);

// Versions before 5 consist of two libraries; a search in the first finds the functions of both.
#if SVC_WITH_POCKETSPHINX < 5
// clang-format off
#define SVC_SPHINX_VERSION_FUNCTIONS(F) \
  F(args, ps_args) \
  F(configure, cmd_ln_init) \
  F(set, cmd_ln_set_str_r) \
  F(set_number, cmd_ln_set_int_r) \
  F(free_configuration, cmd_ln_free_r) \
  F(features, ps_get_feat) \
  F(set_mean, cmn_live_set)
// clang-format on
SVC_LIBRARY(VersionFunctions, SVC_SPHINX_VERSION_FUNCTIONS);

std::string model_of(const VersionFunctions& /*f*/) {
  return "/usr/share/pocketsphinx/model/en-us";
}

constexpr const char* k_option = "-";  ///< what precedes the name of an option

cmd_ln_t* defaults(const VersionFunctions& f) {
  cmd_ln_t* made = f.configure(nullptr, f.args(), 1, static_cast<char*>(nullptr));
  // Otherwise the times of all words would be shifted. Later versions do not have it.
  if (made != nullptr) f.set_number(made, "-remove_silence", 0);
  return made;
}

void set_mean(const VersionFunctions& f, ps_decoder_t* decoder) {
  f.set_mean(f.features(decoder)->cmn_struct, k_mean.data());
}
#else
// clang-format off
#define SVC_SPHINX_VERSION_FUNCTIONS(F) \
  F(model_folder, ps_default_modeldir) \
  F(configure, ps_config_init) \
  F(set, ps_config_set_str) \
  F(set_number, ps_config_set_int) \
  F(free_configuration, ps_config_free) \
  F(set_mean, ps_set_cmn)
// clang-format on
SVC_LIBRARY(VersionFunctions, SVC_SPHINX_VERSION_FUNCTIONS);

std::string model_of(const VersionFunctions& f) {
  const char* folder = f.model_folder();
  return std::string(folder == nullptr ? "" : folder) + "/en-us";
}

constexpr const char* k_option = "";

ps_config_t* defaults(const VersionFunctions& f) {
  return f.configure(nullptr);
}

void set_mean(const VersionFunctions& f, ps_decoder_t* decoder) {
  f.set_mean(decoder, fmt::format("{}", fmt::join(k_mean, ",")).c_str());
}
#endif
struct SphinxFunctions : CommonFunctions, VersionFunctions {};

/// How the recognizer works; null without memory. Free it with free_configuration().
auto* configure(const VersionFunctions& f, const std::string& model) {
  auto* made = defaults(f);
  if (made == nullptr) return made;
  const auto option = [](const char* name) { return std::string(k_option) + name; };
  f.set(made, option("hmm").c_str(), (model + "/en-us").c_str());
  f.set(made, option("lm").c_str(), (model + "/en-us.lm.bin").c_str());
  f.set(made, option("dict").c_str(), (model + "/cmudict-en-us.dict").c_str());
  f.set_number(made, option("remove_noise").c_str(), 1);
  f.set_number(made, option("maxhmmpf").c_str(), 3000);
  // The second pass is slow and corrects few words.
  f.set_number(made, option("fwdflat").c_str(), 0);
  return made;
}

Result<SphinxFunctions> load_sphinx() {
  SVC_TRY(library, open_library("pocketsphinx", SVC_WITH_POCKETSPHINX, "pocketsphinx"));
  SVC_TRY(common, CommonFunctions::find_in(library));
  SVC_TRY(version, VersionFunctions::find_in(library));
  if (::access(model_of(version).c_str(), R_OK) != 0) {
    return Error{Fault::Local, "The model of the speech recognizer is not installed.",
                 install_hint("pocketsphinx-en-us")};
  }
  return SphinxFunctions{common, version};
}

// "and(2)" is an alternative pronunciation of "and"; "<sil>" and "[NOISE]" are not words.
std::string plain_word(const char* word) {
  std::string text = word;
  if (text.empty() || text[0] == '<' || text[0] == '[' || text.starts_with("++")) return {};
  return text.substr(0, text.find('('));
}

struct Decoder {
  SphinxFunctions f{};
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
      word.text = plain_word(f.word(at));
      if (word.text.empty()) continue;
      int first = 0;
      int last = 0;
      f.frames(at, &first, &last);
      word.start = first * k_frame;
      word.end = (last + 1) * k_frame;
      const int32 log = f.probability(at, nullptr, nullptr, nullptr);
      word.confidence = std::clamp(f.exponent(logmath, log), 0.0, 1.0);
      out.push_back(std::move(word));
    }
    return out;
  }
};

// Loading takes half a second and 60 MB: loaded decoders are reused.
struct Shelf {
  static constexpr std::size_t k_max_idle = 3;
  std::mutex mutex{};
  std::vector<std::unique_ptr<Decoder>> idle{};

  static Shelf& get() {
    static Shelf shelf;
    return shelf;
  }
};

class SphinxRecognizer final : public Recognizer {
 public:
  explicit SphinxRecognizer(std::unique_ptr<Decoder> decoder) : m_decoder(std::move(decoder)) {}

  /// Returns the decoder to the shelf.
  ~SphinxRecognizer() override {
    // Otherwise the next user would get the words of an unfinished utterance.
    if (m_active) m_decoder->f.end(m_decoder->decoder);
    Shelf& shelf = Shelf::get();
    const std::lock_guard lock(shelf.mutex);
    if (shelf.idle.size() < Shelf::k_max_idle) shelf.idle.push_back(std::move(m_decoder));
  }

  void begin() override {
    // Silence first: the frames before count in the score of a frame, even another utterance's.
    start();
    feed(Samples(3'200));
    m_decoder->f.end(m_decoder->decoder);
    start();
    m_active = true;
  }

  void feed(SampleView samples) override {
    m_decoder->f.process(m_decoder->decoder, samples.data(), samples.size(), 0, 0);
  }

  [[nodiscard]] std::vector<RecognizedWord> partial_result() const override {
    return m_decoder->words();
  }

  [[nodiscard]] std::vector<RecognizedWord> finish() override {
    m_active = false;
    m_decoder->f.end(m_decoder->decoder);
    return m_decoder->words();
  }

 private:
  void start() {
    set_mean(m_decoder->f, m_decoder->decoder);
    m_decoder->f.rewind(m_decoder->decoder);  // times count from here
    m_decoder->f.start(m_decoder->decoder);
  }

  std::unique_ptr<Decoder> m_decoder;
  bool m_active = false;  ///< an utterance has begun and not ended
};

}  // namespace

Result<std::unique_ptr<Recognizer>> Recognizer::take() {
  Shelf& shelf = Shelf::get();
  {
    const std::lock_guard lock(shelf.mutex);
    if (!shelf.idle.empty()) {
      std::unique_ptr<Recognizer> recognizer =
          std::make_unique<SphinxRecognizer>(std::move(shelf.idle.back()));
      shelf.idle.pop_back();
      return recognizer;
    }
  }
  SVC_TRY(functions, load_sphinx());
  auto decoder = std::make_unique<Decoder>();
  decoder->f = functions;
  functions.set_log(nullptr);  // otherwise it logs to stderr
  auto* configuration = configure(functions, model_of(functions));
  if (configuration != nullptr) decoder->decoder = functions.init(configuration);
  if (configuration != nullptr) functions.free_configuration(configuration);
  if (decoder->decoder == nullptr) {
    return Error{Fault::Local, "The speech recognizer cannot read its model.",
                 "Install the package pocketsphinx-en-us again."};
  }
  return std::unique_ptr<Recognizer>(std::make_unique<SphinxRecognizer>(std::move(decoder)));
}

bool recognizer_is_built_in() {
  return true;
}

#else

Result<std::unique_ptr<Recognizer>> Recognizer::take() {
  return Error{Fault::Local, "This emulator was built without a speech recognizer.",
               "Install pocketsphinx and its headers (on Debian libpocketsphinx-dev, and in "
               "releases 12 and 13 "
               "libsphinxbase-dev), and build it again."};
}

bool recognizer_is_built_in() {
  return false;
}

#endif

namespace {

constexpr std::size_t k_frame_samples = 320;  // 20 ms
constexpr int k_frame_ms = 20;
constexpr int k_onset_frames = 3;     // this many loud frames of five are speech
constexpr int k_hangover_ms = 240;    // a shorter silence may be inside a word
constexpr std::size_t k_before = 15;  // frames before speech that the recognizer gets
constexpr int k_interim_ms = 500;
// After this length, words become final at the next short silence; or without any.
constexpr int k_max_chunk_ms = 12'000;
constexpr int k_endless_chunk_ms = 20'000;
constexpr double k_quietest_speech = 0.0015;  // -56 dB: the minimum level of speech

// vad_threshold is a probability, mapped to a level here: 0.5 is about -44 dB.
double threshold_of(double threshold) {
  return threshold <= 0 ? 0.0 : k_quietest_speech * std::pow(18.0, threshold);
}

constexpr std::array<sv, 22> k_open_words = {
    "and", "but", "or",   "so",  "because", "the",  "a",  "an", "to", "of", "in",
    "on",  "at",  "with", "for", "if",      "that", "um", "uh", "my", "is", "then"};

// The probability that the turn is over: a sentence does not end with "and".
double end_of_turn(const std::vector<SpokenWord>& words) {
  if (words.empty()) return 0.5;
  const bool open = has_element(k_open_words, words.back().text);
  if (open) return 0.15;
  return words.size() == 1 ? 0.65 : 0.9;
}

void add_if_recognized(RecognitionResult one, std::vector<RecognitionResult>& results) {
  if (!one.words.empty() || !one.notice.empty()) results.push_back(std::move(one));
}

}  // namespace

Listener::Listener(ListenerOptions options)
    : m_options(options), m_threshold(threshold_of(options.vad_threshold)) {}

double Listener::now() const {
  return static_cast<double>(m_frames) * k_frame_ms / 1000.0;
}

std::string Listener::notice(double seconds) const {
  return m_recognizer ? "" : fmt::format("[{:.1f} s of speech: {}]", seconds, m_error);
}

void Listener::feed(SampleView samples, std::vector<RecognitionResult>& results) {
  while (!samples.empty()) {
    const std::size_t take = std::min(samples.size(), k_frame_samples - m_rest.size());
    m_rest.insert(m_rest.end(), samples.begin(),
                  samples.begin() + static_cast<std::ptrdiff_t>(take));
    samples = samples.subspan(take);
    if (m_rest.size() < k_frame_samples) return;
    const Samples whole = std::exchange(m_rest, {});
    frame(whole, results);
  }
}

void Listener::finalize(std::vector<RecognitionResult>& results) {
  if (!m_in_chunk && !m_in_utterance) return;
  end_utterance(results, m_options.smart_turn ? std::optional(1.0) : std::nullopt);
}

void Listener::frame(SampleView samples, std::vector<RecognitionResult>& results) {
  ++m_frames;
  const double level = audio::level_of(samples).rms;
  m_noise_floor = level < m_noise_floor ? 0.9 * m_noise_floor + 0.1 * level
                                        : std::min(m_noise_floor * 1.004, 0.01);
  const bool is_loud = m_threshold <= 0 || level > std::max(m_threshold, 4 * m_noise_floor);
  m_loud.push_back(is_loud);
  if (m_loud.size() > 5) m_loud.pop_front();
  if (!m_in_chunk) {
    m_preroll.emplace_back(samples.begin(), samples.end());
    if (m_preroll.size() > k_before) m_preroll.pop_front();
    if (std::ranges::count(m_loud, true) >= k_onset_frames) return begin_chunk();
    if (m_in_utterance) silent_frame(results);
    return;
  }
  feed_recognizer(samples);
  if (is_loud) {
    m_last_sound = now();
    m_silence_ms = 0;
  } else {
    m_silence_ms += k_frame_ms;
  }
  m_since_interim_ms += k_frame_ms;
  m_chunk_ms += k_frame_ms;
  if (m_silence_ms >= k_hangover_ms) return silent_frame(results);
  const bool breath = m_chunk_ms >= k_max_chunk_ms && m_silence_ms >= 2 * k_frame_ms;
  if (breath || m_chunk_ms >= k_endless_chunk_ms) return lock(results);
  if (m_options.interim && m_since_interim_ms >= k_interim_ms) interim(results);
}

// Silence that is long enough to mean something; called for each of its m_frames.
void Listener::silent_frame(std::vector<RecognitionResult>& results) {
  if (!m_in_chunk) m_silence_ms += k_frame_ms;
  const int patience = std::max(k_hangover_ms, m_options.endpointing_ms);
  if (m_options.smart_turn) {
    if (m_in_chunk) {
      const auto chunk = close_chunk();
      const double sure = end_of_turn(m_words);
      if (sure > *m_options.smart_turn) return end_utterance(results, sure);
      results.push_back({.is_final = true,
                         .words = chunk,
                         .notice = notice(m_last_sound - m_chunk_start),
                         .start = m_chunk_start,
                         .duration = now() - m_chunk_start,
                         .end_of_turn = sure});
      return;
    }
    const auto limit = m_options.smart_turn_timeout_ms;
    if (limit && m_silence_ms >= *limit) end_utterance(results, end_of_turn(m_words));
    return;
  }
  if (m_silence_ms >= patience) return end_utterance(results, {});
  if (m_in_chunk) lock(results);
}

void Listener::begin_chunk() {
  if (!m_recognizer && m_error.empty()) {
    auto taken = Recognizer::take();
    if (taken) {
      m_recognizer = *std::move(taken);
    } else {
      m_error = taken.error().message;
    }
  }
  m_in_chunk = true;
  m_silence_ms = 0;
  m_since_interim_ms = 0;
  m_chunk_ms = 0;
  m_chunk_start = now() - static_cast<double>(m_preroll.size()) * k_frame_ms / 1000.0;
  m_last_sound = now();
  if (!m_in_utterance) {
    m_in_utterance = true;
    m_utterance_start = m_chunk_start;
    m_words.clear();
  }
  if (m_recognizer) m_recognizer->begin();
  for (const Samples& early : m_preroll) feed_recognizer(early);
  m_preroll.clear();
}

std::vector<SpokenWord> Listener::with_offsets(const std::vector<RecognizedWord>& given) const {
  std::vector<SpokenWord> out;
  for (const RecognizedWord& word : given) {
    out.push_back(
        {word.text, m_chunk_start + word.start, m_chunk_start + word.end, word.confidence});
  }
  return out;
}

void Listener::interim(std::vector<RecognitionResult>& results) {
  m_since_interim_ms = 0;
  const double duration = now() - m_chunk_start;
  add_if_recognized({.words = m_recognizer ? with_offsets(m_recognizer->partial_result())
                                           : std::vector<SpokenWord>(),
                     .notice = notice(duration),
                     .start = m_chunk_start,
                     .duration = duration,
                     .end_of_turn = m_options.smart_turn ? std::optional(0.0) : std::nullopt},
                    results);
}

std::vector<SpokenWord> Listener::close_chunk() {
  m_in_chunk = false;
  std::vector<SpokenWord> chunk;
  if (m_recognizer) chunk = with_offsets(m_recognizer->finish());
  if (m_options.speakers) {
    for (SpokenWord& word : chunk) word.speaker = m_turns % 2;
  }
  m_words.insert(m_words.end(), chunk.begin(), chunk.end());
  m_loud.clear();
  return chunk;
}

void Listener::lock(std::vector<RecognitionResult>& results) {
  add_if_recognized({.is_final = true,
                     .words = close_chunk(),
                     .notice = notice(m_last_sound - m_chunk_start),
                     .start = m_chunk_start,
                     .duration = now() - m_chunk_start},
                    results);
  if (m_silence_ms < k_hangover_ms) begin_chunk();  // the speaker continues
}

void Listener::end_utterance(std::vector<RecognitionResult>& results, std::optional<double> turn) {
  if (m_in_chunk) (void)close_chunk();
  m_in_utterance = false;
  ++m_turns;
  add_if_recognized({.is_final = true,
                     .speech_final = true,
                     .words = std::exchange(m_words, {}),
                     .notice = notice(m_last_sound - m_utterance_start),
                     .start = m_utterance_start,
                     .duration = now() - m_utterance_start,
                     .end_of_turn = turn},
                    results);
}

}  // namespace svc::emulator::speech
