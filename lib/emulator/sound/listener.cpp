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
constexpr int k_longest_chunk_ms = 12'000;
constexpr int k_endless_chunk_ms = 20'000;
constexpr double k_quietest_speech = 0.0015;  // -56 dB: the minimum level of speech

// vad_threshold is a probability, mapped to a level here: 0.5 is about -44 dB.
double gate_of(double threshold) {
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

void add_if_heard(Heard one, std::vector<Heard>& heard) {
  if (!one.words.empty() || !one.remark.empty()) heard.push_back(std::move(one));
}

}  // namespace

Listener::Listener(Listening listening)
    : m_listening(listening), m_gate(gate_of(listening.vad_threshold)) {}

double Listener::now() const {
  return static_cast<double>(m_frames) * k_frame_ms / 1000.0;
}

std::string Listener::remark(double seconds) const {
  return m_recognizer ? "" : fmt::format("[{:.1f} s of speech: {}]", seconds, m_trouble);
}

void Listener::feed(SampleView samples, std::vector<Heard>& heard) {
  while (!samples.empty()) {
    const std::size_t take = std::min(samples.size(), k_frame_samples - m_rest.size());
    m_rest.insert(m_rest.end(), samples.begin(),
                  samples.begin() + static_cast<std::ptrdiff_t>(take));
    samples = samples.subspan(take);
    if (m_rest.size() < k_frame_samples) return;
    const Samples whole = std::exchange(m_rest, {});
    frame(whole, heard);
  }
}

void Listener::finalize(std::vector<Heard>& heard) {
  if (!m_in_chunk && !m_in_utterance) return;
  end_utterance(heard, m_listening.smart_turn ? std::optional(1.0) : std::nullopt);
}

void Listener::frame(SampleView samples, std::vector<Heard>& heard) {
  ++m_frames;
  const double level = audio::level_of(samples).rms;
  m_floor = level < m_floor ? 0.9 * m_floor + 0.1 * level : std::min(m_floor * 1.004, 0.01);
  const bool is_loud = m_gate <= 0 || level > std::max(m_gate, 4 * m_floor);
  m_loud.push_back(is_loud);
  if (m_loud.size() > 5) m_loud.pop_front();
  if (!m_in_chunk) {
    m_before.emplace_back(samples.begin(), samples.end());
    if (m_before.size() > k_before) m_before.pop_front();
    if (std::ranges::count(m_loud, true) >= k_onset_frames) return begin_chunk();
    if (m_in_utterance) silent_frame(heard);
    return;
  }
  give(samples);
  if (is_loud) {
    m_last_sound = now();
    m_silence_ms = 0;
  } else {
    m_silence_ms += k_frame_ms;
  }
  m_since_interim_ms += k_frame_ms;
  m_chunk_ms += k_frame_ms;
  if (m_silence_ms >= k_hangover_ms) return silent_frame(heard);
  const bool breath = m_chunk_ms >= k_longest_chunk_ms && m_silence_ms >= 2 * k_frame_ms;
  if (breath || m_chunk_ms >= k_endless_chunk_ms) return lock(heard);
  if (m_listening.interim && m_since_interim_ms >= k_interim_ms) interim(heard);
}

// Silence that is long enough to mean something; called for each of its m_frames.
void Listener::silent_frame(std::vector<Heard>& heard) {
  if (!m_in_chunk) m_silence_ms += k_frame_ms;
  const int patience = std::max(k_hangover_ms, m_listening.endpointing_ms);
  if (m_listening.smart_turn) {
    if (m_in_chunk) {
      const auto chunk = close_chunk();
      const double sure = end_of_turn(m_words);
      if (sure > *m_listening.smart_turn) return end_utterance(heard, sure);
      heard.push_back({.is_final = true,
                       .words = chunk,
                       .remark = remark(m_last_sound - m_chunk_start),
                       .start = m_chunk_start,
                       .duration = now() - m_chunk_start,
                       .end_of_turn = sure});
      return;
    }
    const auto limit = m_listening.smart_turn_timeout_ms;
    if (limit && m_silence_ms >= *limit) end_utterance(heard, end_of_turn(m_words));
    return;
  }
  if (m_silence_ms >= patience) return end_utterance(heard, {});
  if (m_in_chunk) lock(heard);
}

void Listener::begin_chunk() {
  if (!m_recognizer && m_trouble.empty()) {
    auto taken = Recognizer::take();
    if (taken) {
      m_recognizer = *std::move(taken);
    } else {
      m_trouble = taken.error().message;
    }
  }
  m_in_chunk = true;
  m_silence_ms = 0;
  m_since_interim_ms = 0;
  m_chunk_ms = 0;
  m_chunk_start = now() - static_cast<double>(m_before.size()) * k_frame_ms / 1000.0;
  m_last_sound = now();
  if (!m_in_utterance) {
    m_in_utterance = true;
    m_utterance_start = m_chunk_start;
    m_words.clear();
  }
  if (m_recognizer) m_recognizer->begin();
  for (const Samples& early : m_before) give(early);
  m_before.clear();
}

void Listener::give(SampleView samples) {
  if (m_recognizer) m_recognizer->feed(m_wide.feed(samples));
}

std::vector<SpokenWord> Listener::placed(const std::vector<HeardWord>& given) const {
  std::vector<SpokenWord> out;
  for (const HeardWord& word : given) {
    out.push_back(
        {word.text, m_chunk_start + word.start, m_chunk_start + word.end, word.confidence});
  }
  return out;
}

void Listener::interim(std::vector<Heard>& heard) {
  m_since_interim_ms = 0;
  const double duration = now() - m_chunk_start;
  add_if_heard({.words = m_recognizer ? placed(m_recognizer->so_far()) : std::vector<SpokenWord>(),
                .remark = remark(duration),
                .start = m_chunk_start,
                .duration = duration,
                .end_of_turn = m_listening.smart_turn ? std::optional(0.0) : std::nullopt},
               heard);
}

std::vector<SpokenWord> Listener::close_chunk() {
  m_in_chunk = false;
  std::vector<SpokenWord> chunk;
  if (m_recognizer) {
    m_recognizer->feed(m_wide.finish());
    chunk = placed(m_recognizer->finish());
  }
  if (m_listening.speakers) {
    for (SpokenWord& word : chunk) word.speaker = m_turns % 2;
  }
  m_words.insert(m_words.end(), chunk.begin(), chunk.end());
  m_loud.clear();
  return chunk;
}

void Listener::lock(std::vector<Heard>& heard) {
  add_if_heard({.is_final = true,
                .words = close_chunk(),
                .remark = remark(m_last_sound - m_chunk_start),
                .start = m_chunk_start,
                .duration = now() - m_chunk_start},
               heard);
  if (m_silence_ms < k_hangover_ms) begin_chunk();  // the speaker continues
}

void Listener::end_utterance(std::vector<Heard>& heard, std::optional<double> turn) {
  if (m_in_chunk) (void)close_chunk();
  m_in_utterance = false;
  ++m_turns;
  m_silence_ms = 0;
  add_if_heard({.is_final = true,
                .speech_final = true,
                .words = std::exchange(m_words, {}),
                .remark = remark(m_last_sound - m_utterance_start),
                .start = m_utterance_start,
                .duration = now() - m_utterance_start,
                .end_of_turn = turn},
               heard);
}

}  // namespace svc::emulator::speech
