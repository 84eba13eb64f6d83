#include "emulator/sound/listener.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <deque>

#include <fmt/format.h>

#include "audio/format.h"
#include "emulator/sound/wide_band.h"

namespace svc::emulator::speech {
namespace {

constexpr std::size_t k_frame_samples = 320;  // 20 ms
constexpr int k_frame_ms = 20;
constexpr int k_onset_frames = 3;     // so many loud frames of five are speech
constexpr int k_hangover_ms = 240;    // a shorter silence may stand inside a word
constexpr std::size_t k_before = 15;  // frames of silence that the recognizer gets before speech
constexpr int k_interim_ms = 500;
constexpr int k_longest_chunk_ms = 12'000;    // then words are locked, at the next short silence
constexpr int k_endless_chunk_ms = 20'000;    // then they are locked without any silence
constexpr double k_quietest_speech = 0.0015;  // -56 dB: what no gate lets through is silence

// vad_threshold is a probability; here it is a level, 0.5 about -44 dB.
double gate_of(double threshold) {
  return threshold <= 0 ? 0.0 : k_quietest_speech * std::pow(18.0, threshold);
}

constexpr std::array<std::string_view, 22> k_open_words = {
    "and", "but", "or",   "so",  "because", "the",  "a",  "an", "to", "of", "in",
    "on",  "at",  "with", "for", "if",      "that", "um", "uh", "my", "is", "then"};

// How sure it is that nothing follows: a sentence does not end with "and".
double end_of_turn(const std::vector<SpokenWord>& words) {
  if (words.empty()) return 0.5;
  const bool open = std::ranges::find(k_open_words, words.back().text) != k_open_words.end();
  if (open) return 0.15;
  return words.size() == 1 ? 0.65 : 0.9;
}

}  // namespace

struct Listener::Impl {
  explicit Impl(Listening given) : listening(given), gate(gate_of(given.vad_threshold)) {}

  void frame(SampleView samples, std::vector<Heard>& heard);
  void silent_frame(std::vector<Heard>& heard);
  void begin_chunk();
  void give(SampleView samples);
  void interim(std::vector<Heard>& heard);
  /// The words of the chunk are what they are: they join the utterance.
  std::vector<SpokenWord> close_chunk();
  void lock(std::vector<Heard>& heard, std::optional<double> turn);
  void end_utterance(std::vector<Heard>& heard, std::optional<double> turn);
  [[nodiscard]] std::vector<SpokenWord> placed(const std::vector<HeardWord>& words) const;
  [[nodiscard]] double now() const { return static_cast<double>(frames) * k_frame_ms / 1000.0; }
  [[nodiscard]] std::string remark(double seconds) const {
    return recognizer ? "" : fmt::format("[{:.1f} s of speech: {}]", seconds, trouble);
  }

  Listening listening;
  double gate;
  Samples rest{};  ///< less than a frame
  std::uint64_t total = 0;
  std::uint64_t frames = 0;
  double floor = 0.001;          ///< level of the silence
  std::deque<Samples> before{};  ///< the last frames of silence
  std::deque<bool> loud{};       ///< of the last five frames
  std::unique_ptr<Recognizer> recognizer{};
  WideBand wide{};
  std::string trouble{};  ///< why there is none
  bool asked = false;
  // The chunk: sound between two silences, decoded as one.
  bool in_chunk = false;
  double chunk_start = 0;  ///< of the sound that was given, in seconds
  double last_sound = 0;
  int silence_ms = 0;
  int since_interim_ms = 0;
  int chunk_ms = 0;
  // The utterance: chunks up to the end of speech.
  bool in_utterance = false;
  double utterance_start = 0;
  std::vector<SpokenWord> words{};
  int turns = 0;  ///< utterances before this one
};

Listener::Listener(Listening listening) : m_impl(std::make_unique<Impl>(listening)) {}
Listener::~Listener() = default;

double Listener::seconds() const {
  return static_cast<double>(m_impl->total) / k_listen_rate;
}

void Listener::feed(SampleView samples, std::vector<Heard>& heard) {
  Impl& impl = *m_impl;
  impl.total += samples.size();
  while (!samples.empty()) {
    const std::size_t take = std::min(samples.size(), k_frame_samples - impl.rest.size());
    impl.rest.insert(impl.rest.end(), samples.begin(),
                     samples.begin() + static_cast<std::ptrdiff_t>(take));
    samples = samples.subspan(take);
    if (impl.rest.size() < k_frame_samples) return;
    const Samples whole = std::exchange(impl.rest, {});
    impl.frame(whole, heard);
  }
}

void Listener::finalize(std::vector<Heard>& heard) {
  Impl& impl = *m_impl;
  if (!impl.in_chunk && !impl.in_utterance) return;
  impl.end_utterance(heard, impl.listening.smart_turn ? std::optional(1.0) : std::nullopt);
}

void Listener::Impl::frame(SampleView samples, std::vector<Heard>& heard) {
  ++frames;
  const double level = audio::level_of(samples).rms;
  floor = level < floor ? 0.9 * floor + 0.1 * level : std::min(floor * 1.004, 0.01);
  const bool is_loud = gate <= 0 || level > std::max(gate, 4 * floor);
  loud.push_back(is_loud);
  if (loud.size() > 5) loud.pop_front();
  if (!in_chunk) {
    before.emplace_back(samples.begin(), samples.end());
    if (before.size() > k_before) before.pop_front();
    if (std::ranges::count(loud, true) >= k_onset_frames) return begin_chunk();
    if (in_utterance) silent_frame(heard);
    return;
  }
  give(samples);
  if (is_loud) {
    last_sound = now();
    silence_ms = 0;
  } else {
    silence_ms += k_frame_ms;
  }
  since_interim_ms += k_frame_ms;
  chunk_ms += k_frame_ms;
  if (silence_ms >= k_hangover_ms) return silent_frame(heard);
  const bool breath = chunk_ms >= k_longest_chunk_ms && silence_ms >= 2 * k_frame_ms;
  if (breath || chunk_ms >= k_endless_chunk_ms) return lock(heard, {});
  if (listening.interim && since_interim_ms >= k_interim_ms) interim(heard);
}

// Silence that is long enough to mean something; called for each of its frames.
void Listener::Impl::silent_frame(std::vector<Heard>& heard) {
  if (!in_chunk) silence_ms += k_frame_ms;
  const int patience = std::max(k_hangover_ms, listening.endpointing_ms);
  if (listening.smart_turn) {
    if (in_chunk) {
      const auto chunk = close_chunk();
      const double sure = end_of_turn(words);
      if (sure > *listening.smart_turn) return end_utterance(heard, sure);
      heard.push_back({.is_final = true,
                       .words = chunk,
                       .remark = remark(last_sound - chunk_start),
                       .start = chunk_start,
                       .duration = now() - chunk_start,
                       .end_of_turn = sure});
      return;
    }
    const auto limit = listening.smart_turn_timeout_ms;
    if (limit && silence_ms >= *limit) end_utterance(heard, end_of_turn(words));
    return;
  }
  if (silence_ms >= patience) return end_utterance(heard, {});
  if (in_chunk) lock(heard, {});
}

void Listener::Impl::begin_chunk() {
  if (!asked) {
    asked = true;
    auto taken = Recognizer::take();
    if (taken) {
      recognizer = *std::move(taken);
    } else {
      trouble = taken.error().message;
    }
  }
  in_chunk = true;
  silence_ms = 0;
  since_interim_ms = 0;
  chunk_ms = 0;
  chunk_start = now() - static_cast<double>(before.size()) * k_frame_ms / 1000.0;
  last_sound = now();
  if (!in_utterance) {
    in_utterance = true;
    utterance_start = chunk_start;
    words.clear();
  }
  if (recognizer) recognizer->begin();
  for (const Samples& early : before) give(early);
  before.clear();
}

void Listener::Impl::give(SampleView samples) {
  if (recognizer) recognizer->feed(wide.feed(samples));
}

std::vector<SpokenWord> Listener::Impl::placed(const std::vector<HeardWord>& given) const {
  std::vector<SpokenWord> out;
  for (const HeardWord& word : given) {
    out.push_back({word.text, chunk_start + word.start, chunk_start + word.end, word.confidence});
  }
  return out;
}

void Listener::Impl::interim(std::vector<Heard>& heard) {
  since_interim_ms = 0;
  Heard one;
  if (recognizer) one.words = placed(recognizer->so_far());
  one.remark = remark(now() - chunk_start);
  if (one.words.empty() && one.remark.empty()) return;
  one.start = chunk_start;
  one.duration = now() - chunk_start;
  if (listening.smart_turn) one.end_of_turn = 0.0;
  heard.push_back(std::move(one));
}

std::vector<SpokenWord> Listener::Impl::close_chunk() {
  in_chunk = false;
  std::vector<SpokenWord> chunk;
  if (recognizer) {
    recognizer->feed(wide.finish());
    chunk = placed(recognizer->finish());
  }
  if (listening.speakers) {
    for (SpokenWord& word : chunk) word.speaker = turns % 2;
  }
  words.insert(words.end(), chunk.begin(), chunk.end());
  loud.clear();
  return chunk;
}

void Listener::Impl::lock(std::vector<Heard>& heard, std::optional<double> turn) {
  Heard one;
  one.is_final = true;
  one.start = chunk_start;
  one.duration = now() - chunk_start;
  one.remark = remark(last_sound - chunk_start);
  const bool silent = silence_ms >= k_hangover_ms;
  one.words = close_chunk();
  one.end_of_turn = turn;
  if (!one.words.empty() || !one.remark.empty()) heard.push_back(std::move(one));
  if (!silent) begin_chunk();  // the speaker goes on
}

void Listener::Impl::end_utterance(std::vector<Heard>& heard, std::optional<double> turn) {
  Heard one;
  if (in_chunk) (void)close_chunk();
  in_utterance = false;
  ++turns;
  silence_ms = 0;
  one.is_final = true;
  one.speech_final = true;
  one.start = utterance_start;
  one.duration = now() - utterance_start;
  one.remark = remark(last_sound - utterance_start);
  one.words = std::exchange(words, {});
  one.end_of_turn = turn;
  if (!one.words.empty() || !one.remark.empty()) heard.push_back(std::move(one));
}

}  // namespace svc::emulator::speech
