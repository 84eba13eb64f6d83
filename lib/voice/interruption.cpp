#include "voice/interruption.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "voice/playback.h"

namespace svc::voice {
namespace {

using std::chrono::milliseconds;

/// Longer speech is more than a filler, whatever its words.
constexpr milliseconds k_longest_filler{1'200};

/// Lower case of Latin, Greek and Cyrillic letters.
char32_t lower(char32_t c) {
  const auto within = [c](char32_t first, char32_t last) { return c >= first && c <= last; };
  if (within('A', 'Z') || within(0xc0, 0xd6) || within(0xd8, 0xde) || within(0x391, 0x3a9) ||
      within(0x410, 0x42f)) {
    return c + 0x20;
  }
  return c;
}

bool separates(char32_t c) {
  if (c < 0x80)
    return !(c >= '0' && c <= '9') && !(lower(c) >= 'a' && lower(c) <= 'z') && c != '\'';
  return (c >= 0xa0 && c <= 0xbf) || (c >= 0x2000 && c <= 0x206f) || (c >= 0x3000 && c <= 0x303f) ||
         (c >= 0xff00 && c <= 0xff0f) || c == 0xff1a || c == 0xff1b || c == 0xff1f;
}

/// A character of a script without spaces counts as a word.
std::vector<std::u32string> words_of(std::string_view text) {
  std::vector<std::u32string> words;
  bool continues = false;
  for (std::size_t at = 0; at < text.size();) {
    const char32_t c = decode_utf8(text, at);
    if (separates(c)) {
      continues = false;
      continue;
    }
    const bool alone = c >= k_first_without_spaces;
    if (!continues || alone) words.emplace_back();
    words.back() += lower(c);
    continues = !alone;
  }
  return words;
}

}  // namespace

int count_words(std::string_view text, const std::vector<std::string>& fillers) {
  const auto words = words_of(text);
  std::vector<std::vector<std::u32string>> phrases;
  for (const std::string& filler : fillers) phrases.push_back(words_of(filler));
  int count = 0;
  for (auto at = words.begin(); at != words.end();) {
    std::size_t longest = 0;
    for (const auto& phrase : phrases) {
      if (phrase.size() <= static_cast<std::size_t>(words.end() - at) &&
          std::equal(phrase.begin(), phrase.end(), at)) {
        longest = std::max(longest, phrase.size());
      }
    }
    if (longest == 0) ++count;
    at += static_cast<std::ptrdiff_t>(std::max<std::size_t>(longest, 1));
  }
  return count;
}

Interruption::Verdict Interruption::look(const Scene& scene, Clock::time_point now) {
  const bool was_voice = std::exchange(m_voice, scene.voice);
  if (m_voice && !was_voice && scene.sounding) {
    const bool paused = std::exchange(m_state, State::Voice) == State::Waiting;
    m_cut = false;
    m_until.reset();
    return {.action = m_policy.resume && !paused ? Action::Pause : Action::None};
  }
  if (m_state == State::Voice && !m_cut) {
    const bool reads = m_policy.reads_words();
    const auto enough = reads ? m_policy.least + k_longest_filler : m_policy.least;
    if (scene.spoken >= enough && (!reads || m_policy.words <= 1)) return interrupt();
  }
  if (m_state == State::Voice && !m_voice) {
    if (m_cut) {
      m_state = State::None;
      // No further turn will follow that asks for the answer.
      return {.answer = std::exchange(m_owed, false) && scene.spoken < m_policy.least};
    }
    m_state = State::Waiting;
    if (scene.spoken < m_policy.least && !expects_words()) return resume();
    if (scene.spoken < m_policy.least) m_until = now + m_policy.resume.value_or(milliseconds(0));
  }
  if (m_state != State::Waiting || !m_until || now < *m_until) return {};
  if (m_transcribes) return resume();
  Verdict verdict = interrupt();
  verdict.answer = true;
  return verdict;
}

bool Interruption::sent(Clock::time_point now) {
  if (!undecided()) {
    m_items.clear();
    m_owed = false;
    return true;
  }
  ++m_sent;
  m_until = now + m_policy.resume.value_or(milliseconds(0));
  return false;
}

void Interruption::committed(const std::string& item) {
  if (m_sent == 0) return;
  --m_sent;
  m_items.insert(item);
}

Interruption::Verdict Interruption::words(const std::string& item, std::string_view text,
                                          bool complete) {
  if (!trim(text).empty()) m_transcribes = true;
  if (!m_items.contains(item)) return {};
  if (count_words(text, m_policy.fillers) >= std::max(m_policy.words, 1)) {
    // Also when the answer has resumed: late words are words.
    Verdict verdict = interrupt();
    m_owed = m_voice;
    verdict.answer = !m_voice;
    return verdict;
  }
  if (!complete) return {};
  m_items.erase(item);
  Verdict verdict;
  if (m_state == State::Waiting && !expects_words()) verdict = resume();
  verdict.discard = true;
  return verdict;
}

Interruption::Verdict Interruption::resume() {
  m_state = State::None;
  m_until.reset();
  return {.action = m_policy.resume ? Action::Resume : Action::None};
}

Interruption::Verdict Interruption::interrupt() {
  m_cut = true;
  m_until.reset();
  m_items.clear();
  m_sent = 0;
  if (!m_voice) m_state = State::None;
  return {.action = Action::Interrupt};
}

void Interruption::reset() {
  m_state = State::None;
  m_owed = false;
  m_sent = 0;
  m_items.clear();
  m_until.reset();
}

}  // namespace svc::voice
