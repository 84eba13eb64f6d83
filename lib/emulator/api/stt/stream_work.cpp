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

StreamWork::StreamWork(const StreamQuery& query) : m_query(query), m_decoder(*query.format.raw) {
  for (int i = 0; i < query.format.channels; ++i) {
    m_ears.push_back(std::make_unique<speech::Listener>(query.listening));
  }
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

void StreamWork::hear(const std::vector<speech::Samples>& channels, std::vector<std::string>& out) {
  for (std::size_t channel = 0; channel < channels.size(); ++channel) {
    std::vector<speech::Heard> heard;
    m_ears[channel]->feed(channels[channel], heard);
    tell(channel, heard, out);
  }
}

Result<std::vector<std::string>> StreamWork::take(const StreamInput& input) {
  std::vector<std::string> out;
  if (input.kind == StreamInput::Kind::Sound) {
    if (!m_splitter) {
      SVC_TRY(splitter, ChannelSplitter::make(m_query.format.rate, m_query.format.channels));
      m_splitter = std::move(splitter);
    }
    speech::Samples samples = std::exchange(m_part_frame, {});
    m_decoder.decode(input.bytes, samples);
    const std::size_t frames = samples.size() / m_ears.size();
    m_frames += frames;
    m_part_frame.assign(samples.begin() + static_cast<std::ptrdiff_t>(frames * m_ears.size()),
                        samples.end());
    samples.resize(frames * m_ears.size());
    hear(m_splitter->feed(samples), out);
    return out;
  }
  const bool done = input.kind == StreamInput::Kind::Done;
  if (done && m_splitter) hear(m_splitter->finish(), out);
  for (std::size_t channel = 0; channel < m_ears.size(); ++channel) {
    if (input.channel && *input.channel != channel) continue;
    std::vector<speech::Heard> heard;
    m_ears[channel]->finalize(heard);
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
