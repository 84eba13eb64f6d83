#include "emulator/sound/speaker.h"

#include <algorithm>
#include <utility>

#include "base/text.h"

namespace svc::emulator::speech {

Speaker::Speaker(Speech speech) : m_speech(std::move(speech)) {
  m_times.resize(count_code_points(m_speech.text));
  plan();
}

double Speaker::seconds() const {
  return static_cast<double>(m_samples) / m_speech.rate;
}

Result<std::optional<Samples>> Speaker::next() {
  if (m_phrases.empty()) return std::optional<Samples>{};
  const Phrase phrase = std::move(m_phrases.front());
  m_phrases.pop_front();
  SVC_TRY(samples, perform(phrase));
  m_samples += samples.size();
  return std::optional(std::move(samples));
}

void Speaker::mark(std::size_t first_char, std::size_t chars, double start, double end) {
  const double step = (end - start) / static_cast<double>(std::max<std::size_t>(1, chars));
  for (std::size_t i = 0; i < chars && first_char + i < m_times.size(); ++i) {
    const double begin = start + step * static_cast<double>(i);
    m_times[first_char + i] = CharTime{begin, begin + step};
  }
}

Result<Samples> Speaker::perform(const Phrase& phrase) {
  const double begin = seconds();
  if (phrase.front().silence > 0) {
    double length = 0;
    for (const Word& word : phrase) {
      const double silence = word.silence / m_speech.speed;
      mark(word.first_char, word.chars, begin + length, begin + length + silence);
      length += silence;
    }
    return Samples(static_cast<std::size_t>(length * m_speech.rate));
  }
  std::string text;
  std::vector<std::size_t> ends;  // of the words, in bytes of `text`
  for (const Word& word : phrase) {
    if (!text.empty() && !word.spoken.empty()) text += ' ';
    text += word.spoken;
    ends.push_back(text.size());
  }
  if (text.empty()) return Samples{};
  Manner manner = m_speech.manner;
  manner.pace *= m_speech.speed;
  SVC_TRY(spoken, speak(text, manner));
  std::vector<CharTime> heard(phrase.size(), CharTime{-1, -1});
  for (const TokenTime& token : spoken.tokens) {
    // A token's place is behind the blank that follows it, but for the last one.
    const auto end = std::ranges::lower_bound(ends, token.text_end == 0 ? 0 : token.text_end - 1);
    if (end == ends.end()) continue;
    CharTime& time = heard[static_cast<std::size_t>(end - ends.begin())];
    if (time.start < 0) time.start = token.start;
    time.end = token.end;
  }
  for (std::size_t i = 0; i < heard.size(); ++i) {
    const Word& word = phrase[i];
    if (heard[i].start >= 0) {
      mark(word.first_char, word.chars, begin + heard[i].start, begin + heard[i].end);
    }
  }
  return resample(spoken.samples, spoken.rate, m_speech.rate);
}

std::vector<CharTime> Speaker::times() const {
  // What is not heard itself, such as a blank, fills the time between its neighbours.
  std::vector<CharTime> out(m_times.size());
  double last = 0;
  for (std::size_t i = 0; i < m_times.size();) {
    if (m_times[i]) {
      out[i] = *m_times[i];
      last = out[i].end;
      ++i;
      continue;
    }
    std::size_t end = i;
    while (end < m_times.size() && !m_times[end]) ++end;
    const double until =
        end < m_times.size() ? std::max(last, m_times[end]->start) : std::max(last, seconds());
    const double step = (until - last) / static_cast<double>(end - i);
    for (std::size_t k = 0; i < end; ++i, ++k) {
      out[i].start = last + step * static_cast<double>(k);
      out[i].end = out[i].start + step;
    }
    last = until;
  }
  return out;
}

}  // namespace svc::emulator::speech
