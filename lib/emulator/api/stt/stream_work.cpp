#include "emulator/api/stt/stream_work.h"

#include <cmath>

#include <nlohmann/json.hpp>

#include "emulator/json/json.h"

namespace svc::emulator::stt {
namespace {

using text::Json;

double rounded(double value) {
  return std::round(value * 1000) / 1000;
}

Json words_json(const std::vector<speech::SpokenWord>& words, bool speakers) {
  Json list = Json::array();
  for (const auto& word : words) {
    Json one = {{"text", word.text}, {"start", rounded(word.start)}, {"end", rounded(word.end)}};
    if (word.confidence > 0) one["confidence"] = rounded(word.confidence);
    if (speakers) one["speaker"] = word.speaker;
    list.push_back(std::move(one));
  }
  return list;
}

}  // namespace

StreamWork::StreamWork(const StreamQuery& query) : m_query(query) {
  for (int i = 0; i < query.format.channels; ++i) m_ears.push_back(std::make_unique<Ear>(query));
}

double StreamWork::seconds() const {
  return static_cast<double>(m_frames) / m_query.format.rate;
}

void StreamWork::tell(std::size_t channel, const std::vector<speech::Heard>& heard,
                      std::vector<std::string>& out) const {
  for (const speech::Heard& one : heard) {
    const auto words = polish(one.words, m_query.wishes);
    const bool sentence = m_query.formatted && one.speech_final;
    Json event = {{"type", "transcript.partial"},
                  {"text", one.remark.empty() ? join_words(words, sentence) : one.remark},
                  {"words", words_json(words, m_query.listening.speakers)},
                  {"is_final", one.is_final},
                  {"speech_final", one.speech_final},
                  {"start", rounded(one.start)},
                  {"duration", rounded(one.duration)}};
    if (m_query.multichannel) event["channel_index"] = channel;
    if (one.end_of_turn) event["end_of_turn_confidence"] = *one.end_of_turn;
    out.push_back(text::dump(event));
  }
}

void StreamWork::hear(const std::string& bytes, std::vector<std::string>& out) {
  speech::Samples samples = std::exchange(m_part_frame, {});
  const speech::Samples more = decode_raw(m_query.format.raw, bytes, m_rest);
  samples.insert(samples.end(), more.begin(), more.end());
  const std::size_t channels = m_ears.size();
  const std::size_t frames = samples.size() / channels;
  m_part_frame.assign(samples.begin() + static_cast<std::ptrdiff_t>(frames * channels),
                      samples.end());
  m_frames += frames;
  speech::Samples one(frames);
  for (std::size_t channel = 0; channel < channels; ++channel) {
    for (std::size_t i = 0; i < frames; ++i) one[i] = samples[i * channels + channel];
    std::vector<speech::Heard> heard;
    m_ears[channel]->listener.feed(m_ears[channel]->resampler.feed(one), heard);
    tell(channel, heard, out);
  }
}

std::vector<std::string> StreamWork::take(const StreamInput& input) {
  std::vector<std::string> out;
  if (input.kind == StreamInput::Kind::Sound) {
    hear(input.bytes, out);
    return out;
  }
  const bool done = input.kind == StreamInput::Kind::Done;
  for (std::size_t channel = 0; channel < m_ears.size(); ++channel) {
    if (input.channel && *input.channel != channel) continue;
    std::vector<speech::Heard> heard;
    if (done) m_ears[channel]->listener.feed(m_ears[channel]->resampler.finish(), heard);
    m_ears[channel]->listener.finalize(heard);
    tell(channel, heard, out);
  }
  if (!done) return out;
  for (std::size_t channel = 0; channel < m_ears.size(); ++channel) {
    // The text is often empty: it has been said in the events before.
    Json event = {{"type", "transcript.done"},
                  {"text", ""},
                  {"words", Json::array()},
                  {"duration", rounded(seconds())}};
    if (m_query.multichannel) event["channel_index"] = channel;
    out.push_back(text::dump(event));
  }
  return out;
}

}  // namespace svc::emulator::stt
