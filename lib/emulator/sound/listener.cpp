#include "emulator/sound/listener.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "audio/format.h"

namespace svc::emulator::speech {
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

constexpr std::array<std::string_view, 22> k_open_words = {
    "and", "but", "or",   "so",  "because", "the",  "a",  "an", "to", "of", "in",
    "on",  "at",  "with", "for", "if",      "that", "um", "uh", "my", "is", "then"};

// The probability that the turn is over: a sentence does not end with "and".
double end_of_turn(const std::vector<SpokenWord>& words) {
  if (words.empty()) return 0.5;
  const bool open = std::ranges::find(k_open_words, words.back().text) != k_open_words.end();
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

void Listener::feed_recognizer(SampleView samples) {
  if (m_recognizer) m_recognizer->feed(m_wide.feed(samples));
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
  if (m_recognizer) {
    m_recognizer->feed(m_wide.finish());
    chunk = with_offsets(m_recognizer->finish());
  }
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
  m_silence_ms = 0;
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
