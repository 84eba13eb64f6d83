#include "emulator/sound/score.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/text.h"

namespace svc::emulator::speech {
namespace {

constexpr double k_pause = 0.5;
constexpr double k_long_pause = 1.2;

struct Wrapping {
  sv name;
  Style style;
};
constexpr std::array<Wrapping, 13> k_wrappings = {{
    {"soft", {1, 1, 0.5, 0.5}},
    {"whisper", {0.95, 1, 0.3, 0.3}},
    {"loud", {1, 1, 1.7, 1.7}},
    {"build-intensity", {1, 1, 0.5, 1.6}},
    {"decrease-intensity", {1, 1, 1.6, 0.5}},
    {"higher-pitch", {1, 1.12, 1, 1}},
    {"lower-pitch", {1, 0.9, 1, 1}},
    {"slow", {0.75, 1, 1, 1}},
    {"fast", {1.3, 1, 1, 1}},
    {"sing-song", {0.9, 1.06, 1, 1}},
    {"singing", {0.8, 1.08, 1, 1}},
    {"laugh-speak", {1.1, 1.04, 1, 1}},
    {"emphasis", {0.9, 1, 1.3, 1.3}},
}};

constexpr std::array<sv, 12> k_noises = {"hum-tune", "laugh",     "chuckle", "giggle",
                                         "cry",      "tsk",       "breath",  "tongue-click",
                                         "inhale",   "lip-smack", "exhale",  "sigh"};

Style both(const Style& a, const Style& b) {
  return {a.pace * b.pace, a.size * b.size, a.gain_begin * b.gain_begin, a.gain_end * b.gain_end};
}

class Reader {
 public:
  explicit Reader(sv text) : m_text(text) {}

  std::vector<Note> read() {
    while (m_at < m_text.size()) {
      if (m_text[m_at] == '[' && read_inline()) continue;
      if (m_text[m_at] == '<' && read_wrapping()) continue;
      if (m_speech.empty()) m_speech_begin = m_chars;
      const std::size_t begin = m_at;
      (void)decode_utf8(m_text, m_at);
      m_speech += m_text.substr(begin, m_at - begin);
      ++m_chars;
    }
    flush();
    return std::move(m_notes);
  }

 private:
  // What stands between here and `close`, when that is the name of a tag.
  sv tag_name(char close) const {
    const auto end = m_text.find(close, m_at);
    return end == sv::npos ? sv{} : m_text.substr(m_at + 1, end - m_at - 1);
  }

  void step_over(sv name) {
    m_at += name.size() + 2;
    m_chars += name.size() + 2;  // the names are ASCII
  }

  bool read_inline() {
    const sv name = tag_name(']');
    const bool silent = name == "pause" || name == "long-pause";
    if (!silent && std::ranges::find(k_noises, name) == k_noises.end()) return false;
    flush();
    Note note;
    note.kind = silent ? Note::Kind::Silence : Note::Kind::Noise;
    note.seconds = name == "pause" ? k_pause : k_long_pause;
    note.text = silent ? "" : std::string(name);
    note.first_char = m_chars;
    note.style = style();
    m_notes.push_back(std::move(note));
    step_over(name);
    return true;
  }

  bool read_wrapping() {
    const sv name = tag_name('>');
    const bool closes = name.starts_with('/');
    const sv bare = closes ? name.substr(1) : name;
    const auto* known = std::ranges::find(k_wrappings, bare, &Wrapping::name);
    if (known == k_wrappings.end()) return false;
    flush();
    if (!closes) {
      m_open.push_back(known);
    } else if (const auto last = std::find(m_open.rbegin(), m_open.rend(), known);
               last != m_open.rend()) {
      m_open.erase(std::next(last).base());
    }
    step_over(name);
    return true;
  }

  Style style() const {
    Style all;
    for (const Wrapping* open : m_open) all = both(all, open->style);
    return all;
  }

  void flush() {
    if (trim(m_speech).empty()) {
      m_speech.clear();
      return;
    }
    Note note;
    note.text = std::exchange(m_speech, {});
    note.first_char = m_speech_begin;
    note.style = style();
    m_notes.push_back(std::move(note));
  }

  sv m_text;
  std::size_t m_at = 0;
  std::size_t m_chars = 0;  ///< code points before m_at
  std::string m_speech{};
  std::size_t m_speech_begin = 0;
  std::vector<const Wrapping*> m_open{};
  std::vector<Note> m_notes{};
};

}  // namespace

std::vector<Note> read_score(sv text) {
  return Reader(text).read();
}

}  // namespace svc::emulator::speech
