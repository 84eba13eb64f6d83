// The only file that uses flite directly. Its voices store their features in global variables, so
// only one phrase is spoken at a time.
#include "emulator/sound/speaker.h"

#ifdef SVC_WITH_FLITE
#include <flite/flite.h>
#endif

namespace svc::emulator::speech {
#ifdef SVC_WITH_FLITE
namespace {

// clang-format off
#define SVC_FLITE_FUNCTIONS(F) \
  F(init, flite_init) \
  F(synth_text, flite_synth_text) \
  F(set_float, flite_feat_set_float) \
  F(path_float, flite_ffeature_float) \
  F(wave, utt_wave) \
  F(relation, utt_relation) \
  F(head, relation_head) \
  F(next, item_next) \
  F(daughter, item_daughter) \
  F(feat_int, item_feat_int) \
  F(release, delete_utterance)
// clang-format on
SVC_LIBRARY(FliteFunctions, SVC_FLITE_FUNCTIONS);

struct FliteVoice {
  const char* name;
  const char* entry;
  double pitch;    ///< default mean pitch
  double stretch;  ///< the speaker's own speed
};

constexpr std::array<FliteVoice, 4> k_flite_voices = {
    FliteVoice{"flite_cmu_us_slt", "register_cmu_us_slt", 165, 1.0},
    FliteVoice{"flite_cmu_us_rms", "register_cmu_us_rms", 100, 1.0},
    FliteVoice{"flite_cmu_us_awb", "register_cmu_us_awb", 130, 1.0},
    FliteVoice{"flite_cmu_us_kal16", "register_cmu_us_kal16", 95, 1.1}};

/// The loaded flite library. Only used under its mutex.
class Engine {
 public:
  static Engine& get() {
    static Engine engine;  // NOLINT: flite itself is global, and so is its lock
    return engine;
  }

  std::mutex mutex{};

  Result<void> load() {
    if (m_loaded) return {};
    SVC_TRY(library, open_library("flite", 1, "flite"));
    SVC_TRY(functions, FliteFunctions::find_in(library));
    m_functions = functions;
    m_functions.init();
    m_loaded = true;
    return {};
  }

  Result<cst_voice*> voice(BaseVoice base_voice) {
    SVC_CHECK(load());
    const auto index = static_cast<std::size_t>(base_voice);
    if (m_voices[index] != nullptr) return m_voices[index];
    const FliteVoice& speaker = k_flite_voices[index];
    SVC_TRY(library, open_library(speaker.name, 1, "flite"));
    cst_voice* (*entry)(const char*) = nullptr;
    if (!library.find(entry, speaker.entry)) {
      return Error{Fault::Local, std::string(speaker.name) + " has no voice."};
    }
    m_voices[index] = entry(nullptr);
    return m_voices[index];
  }

  Result<Synthesis> synthesize(const std::string& text, const VoiceSettings& settings) {
    SVC_TRY(chosen, voice(settings.base_voice));
    const FliteFunctions& f = m_functions;
    const FliteVoice& speaker = k_flite_voices[static_cast<std::size_t>(settings.base_voice)];
    // A smaller person is the same audio played faster, so it is spoken slower first.
    f.set_float(chosen->features, "duration_stretch",
                static_cast<float>(speaker.stretch * settings.size / settings.pace));
    const double pitch = (settings.pitch > 0 ? settings.pitch : speaker.pitch) / settings.size;
    f.set_float(chosen->features, "int_f0_target_mean", static_cast<float>(pitch));
    std::srand(1);  // flite's breathing noise uses rand(): the same text must sound the same
    cst_utterance* utterance = f.synth_text(text.c_str(), chosen);
    if (utterance == nullptr) return Error{Fault::Unexpected, "flite could not speak the text."};
    Synthesis synthesis = read(*utterance, settings.size);
    f.release(utterance);
    return synthesis;
  }

 private:
  [[nodiscard]] Synthesis read(cst_utterance& utterance, double size) const {
    const FliteFunctions& f = m_functions;
    const cst_wave& wave = *f.wave(&utterance);
    Synthesis synthesis;
    // In steps, so that a resampler needs few phases.
    constexpr int k_step = 80;
    synthesis.rate = static_cast<int>(std::lround(wave.sample_rate * size / k_step)) * k_step;
    synthesis.samples.assign(wave.samples, wave.samples + wave.num_samples * wave.num_channels);
    const double scale = double(wave.sample_rate) / synthesis.rate;
    cst_item* token = f.head(f.relation(&utterance, "Token"));
    for (; token != nullptr; token = f.next(token)) {
      TokenTime time;
      time.text_end = static_cast<std::size_t>(std::max(0, f.feat_int(token, "file_pos")));
      bool first = true;
      for (cst_item* word = f.daughter(token); word != nullptr; word = f.next(word)) {
        const double end =
            f.path_float(word, "R:SylStructure.daughtern.daughtern.R:Segment.end") * scale;
        if (end <= 0) continue;  // a word of punctuation only
        if (first) {
          time.start =
              f.path_float(word, "R:SylStructure.daughter1.daughter1.R:Segment.p.end") * scale;
        }
        first = false;
        time.end = end;
      }
      if (!first) synthesis.tokens.push_back(time);
    }
    return synthesis;
  }

  FliteFunctions m_functions{};
  std::array<cst_voice*, k_flite_voices.size()> m_voices{};
  bool m_loaded = false;
};

}  // namespace

Result<void> check_flite() {
  Engine& engine = Engine::get();
  const std::lock_guard lock(engine.mutex);
  return engine.load();
}

Result<Synthesis> synthesize(const std::string& text, const VoiceSettings& settings) {
  Engine& engine = Engine::get();
  const std::lock_guard lock(engine.mutex);
  return engine.synthesize(text, settings);
}

bool flite_is_built_in() {
  return true;
}

#else

Result<void> check_flite() {
  return Error{Fault::Local, "This emulator was built without speech synthesis.",
               "Install flite and its headers (on Debian flite1-dev), and build it again."};
}

Result<Synthesis> synthesize(const std::string& /*text*/, const VoiceSettings& /*manner*/) {
  return check_flite().error();
}

bool flite_is_built_in() {
  return false;
}

#endif

namespace {

using enum BaseVoice;

// Sizes are near 1, so that a recognizer understands all voices except the robot.
constexpr std::array<Voice, 26> k_voices = {{
    {"carina", "Carina", {Slt, 185, 1.00, 1.00}},   {"zagan", "Zagan", {Kal, 0, 1.00, 1.00}},
    {"helix", "Helix", {Rms, 0, 1.04, 1.05}},       {"orion", "Orion", {Rms, 0, 0.97, 0.95}},
    {"luna", "Luna", {Slt, 175, 1.04, 0.95}},       {"iris", "Iris", {Slt, 200, 1.02, 1.05}},
    {"altair", "Altair", {Awb, 0, 1.00, 1.00}},     {"zenith", "Zenith", {Awb, 120, 0.96, 1.00}},
    {"perseus", "Perseus", {Rms, 0, 0.97, 1.05}},   {"helios", "Helios", {Rms, 0, 1.06, 1.10}},
    {"lux", "Lux", {Slt, 155, 0.96, 1.05}},         {"kepler", "Kepler", {Awb, 140, 1.04, 1.00}},
    {"rigel", "Rigel", {Rms, 0, 0.96, 1.00}},       {"cosmo", "Cosmo", {Rms, 0, 1.05, 0.95}},
    {"celeste", "Celeste", {Slt, 190, 1.05, 1.00}}, {"ursa", "Ursa", {Slt, 145, 0.97, 0.95}},
    {"sirius", "Sirius", {Awb, 110, 0.97, 0.95}},   {"lumen", "Lumen", {Slt, 160, 1.00, 0.92}},
    {"castor", "Castor", {Rms, 0, 1.02, 0.92}},     {"naksh", "Naksh", {Awb, 150, 1.03, 1.05}},
    {"atlas", "Atlas", {Rms, 0, 0.95, 0.95}},       {"ara", "Ara", {Slt, 180, 1.02, 1.00}},
    {"eve", "Eve", {Slt, 0, 1.00, 1.00}},           {"leo", "Leo", {Rms, 0, 1.00, 1.10}},
    {"rex", "Rex", {Rms, 0, 1.00, 1.00}},           {"sal", "Sal", {Slt, 140, 0.98, 1.00}},
}};

constexpr std::size_t k_max_phrase = 30;  // words
constexpr std::size_t k_min_phrase = 3;   // a shorter sentence is joined to the next
constexpr std::size_t k_quick_phrase = 5;

constexpr double k_pause = 0.5;  // seconds
constexpr double k_long_pause = 1.2;
constexpr double k_silence_per_char = 0.12;

constexpr std::array<sv, 14> k_inline_tags = {
    "pause", "long-pause", "hum-tune", "laugh",     "chuckle", "giggle", "cry",
    "tsk",   "breath",     "inhale",   "lip-smack", "exhale",  "sigh",   "tongue-click"};
constexpr std::array<sv, 13> k_wrapping_tags = {
    "soft",        "whisper", "loud",      "build-intensity", "decrease-intensity",
    "slow",        "fast",    "sing-song", "higher-pitch",    "lower-pitch",
    "laugh-speak", "singing", "emphasis"};

// Returns the tag that starts at `at`, with its brackets; "" if it is plain text.
sv tag_at(sv text, std::size_t at) {
  const bool wraps = text[at] == '<';
  if (!wraps && text[at] != '[') return {};
  const std::size_t end = text.find(wraps ? '>' : ']', at);
  if (end == sv::npos) return {};
  sv name = text.substr(at + 1, end - at - 1);
  if (wraps && name.starts_with('/')) name.remove_prefix(1);
  const bool known = wraps ? has_element(k_wrapping_tags, name) : has_element(k_inline_tags, name);
  return known ? text.substr(at, end + 1 - at) : sv{};
}

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v';
}

bool has_foreign_letter(sv word) {
  for (std::size_t at = 0; at < word.size();) {
    const char32_t c = decode_utf8(word, at);
    // Above the Latin letters, excluding punctuation and symbols.
    if (c >= 0x250 && !(c >= 0x2000 && c < 0x2c00) && c != 0xfeff) return true;
  }
  return false;
}

// Returns the key to find a replacement: "foo" for "Foo,".
std::string key_of(sv word) {
  constexpr sv k_around = "\"'`({[.,:;!?)}]";
  const auto begin = word.find_first_not_of(k_around);
  if (begin == sv::npos) return {};
  return to_lower(word.substr(begin, word.find_last_not_of(k_around) + 1 - begin));
}

}  // namespace

Result<Samples> resample(SampleView samples, int from_rate, int to_rate) {
  SVC_TRY(resampler, audio::Resampler::create(1, from_rate, to_rate));
  Samples out;
  resampler.process(samples, out);
  resampler.flush(out);
  return out;
}

Speaker::Speaker(Speech speech)
    : m_speech(std::move(speech)),
      m_manner(voice_settings(m_speech.voice).value_or(find_voice(k_default_voice)->settings)) {
  m_manner.pace *= m_speech.speed;
  m_times.resize(count_code_points(m_speech.text));
  plan();
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
  const double step = (end - start) / static_cast<double>(chars);
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
  SVC_TRY(spoken, synthesize(text, m_manner));
  std::vector<CharTime> char_times(phrase.size(), CharTime{-1, -1});
  for (const TokenTime& token : spoken.tokens) {
    // A token's position is after the following space, except for the last one.
    const auto end = std::ranges::lower_bound(ends, token.text_end == 0 ? 0 : token.text_end - 1);
    if (end == ends.end()) continue;
    CharTime& time = char_times[static_cast<std::size_t>(end - ends.begin())];
    if (time.start < 0) time.start = token.start;
    time.end = token.end;
  }
  for (std::size_t i = 0; i < char_times.size(); ++i) {
    const Word& word = phrase[i];
    if (char_times[i].start >= 0) {
      mark(word.first_char, word.chars, begin + char_times[i].start, begin + char_times[i].end);
    }
  }
  return resample(spoken.samples, spoken.rate, m_speech.rate);
}

std::vector<CharTime> Speaker::times() const {
  // Inaudible characters, such as spaces, fill the time between their neighbors.
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

std::span<const Voice> voices() {
  return k_voices;
}

const Voice* find_voice(sv id) {
  const auto* found = std::ranges::find_if(
      k_voices, [&](const Voice& voice) { return equals_ignore_case(voice.id, id); });
  return found == k_voices.end() ? nullptr : found;
}

std::optional<VoiceSettings> voice_settings(sv id) {
  if (const Voice* voice = find_voice(id)) return voice->settings;
  constexpr std::size_t k_min_custom = 8;
  const bool plain = std::ranges::all_of(id, [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_';
  });
  const bool digit = id.find_first_of("0123456789") != sv::npos;
  if (id.size() < k_min_custom || !plain || !digit) return std::nullopt;
  std::uint32_t hash = 2'166'136'261U;  // FNV-1a
  for (const char c : id) hash = (hash ^ static_cast<unsigned char>(c)) * 16'777'619U;
  return k_voices[hash % k_voices.size()].settings;
}

Speaker::Word Speaker::word_of(sv written, std::size_t first_char) const {
  constexpr sv k_ends = ".!?;:";
  constexpr std::array<sv, 5> k_abbreviations = {"e.g.", "i.e.", "dr.", "mr.", "mrs."};
  Word word;
  word.first_char = first_char;
  word.chars = count_code_points(written);
  word.key = key_of(written);
  word.spoken = spoken_form(written);
  if (word.spoken.empty() && has_foreign_letter(written)) {
    word.silence = k_silence_per_char * static_cast<double>(word.chars);
  }
  const auto last = written.find_last_not_of("\"')]}");
  const char sign = last == sv::npos ? ' ' : written[last];
  const bool abbreviated = has_element(k_abbreviations, sv(to_lower(written)));
  word.ends_phrase = k_ends.find(sign) != sv::npos && written.size() > 1 && !abbreviated;
  word.may_end_phrase = sign == ',';
  return word;
}

std::vector<Speaker::Word> Speaker::words_of(sv text) const {
  std::vector<Word> words;
  std::size_t chars = 0;
  for (std::size_t at = 0; at < text.size();) {
    if (const sv tag = tag_at(text, at); !tag.empty()) {
      if (tag.starts_with('[')) {
        Word pause;
        pause.first_char = chars;
        pause.chars = tag.size();
        pause.silence = tag == "[long-pause]" ? k_long_pause : k_pause;
        words.push_back(std::move(pause));
      }
      at += tag.size();
      chars += tag.size();  // names are ASCII
      continue;
    }
    if (is_blank(text[at])) {
      if (text[at] == '\n' && !words.empty()) words.back().ends_phrase = true;
      ++at;
      ++chars;
      continue;
    }
    std::size_t end = at;
    while (end < text.size() && !is_blank(text[end]) && (end == at || tag_at(text, end).empty())) {
      ++end;
    }
    words.push_back(word_of(text.substr(at, end - at), chars));
    chars += words.back().chars;
    at = end;
  }
  return words;
}

// The replacement is spoken in place of the phrase's first word, the others are silent.
void Speaker::replace_phrases(std::vector<Word>& words) const {
  for (const auto& [phrase, said] : m_speech.replace) {
    const std::vector<sv> parts = split(phrase, ' ');
    for (std::size_t at = 0; at + parts.size() <= words.size(); ++at) {
      const bool here =
          std::ranges::equal(parts, std::span(words).subspan(at, parts.size()), {}, {}, &Word::key);
      if (!here) continue;
      for (std::size_t i = 0; i < parts.size(); ++i) words[at + i].spoken.clear();
      words[at].spoken = spoken_form(said);
      words[at].silence = 0;
      at += parts.size() - 1;
    }
  }
}

void Speaker::plan() {
  std::vector<Word> words = words_of(m_speech.text);
  replace_phrases(words);
  Phrase phrase;
  const auto close = [&] {
    if (!phrase.empty()) m_phrases.push_back(std::exchange(phrase, {}));
  };
  for (const Word& word : words) {
    if (!phrase.empty() && (phrase.back().silence > 0) != (word.silence > 0)) close();
    phrase.push_back(word);
    const std::size_t count = phrase.size();
    const bool quick = m_speech.quick_start && m_phrases.empty() &&
                       (count >= k_quick_phrase || (word.may_end_phrase && count > 1));
    if (quick || count >= k_max_phrase || (word.ends_phrase && count >= k_min_phrase)) close();
  }
  close();
}

namespace {

constexpr sv k_latin1 =  // U+00C0 to U+00FF without their accents
    "AAAAAAACEEEEIIIIDNOOOOOxOUUUUYTsaaaaaaaceeeeiiiidnooooo/ouuuuyty";

// Converts to ASCII: replaces typographic characters, removes accents, drops other scripts.
std::string to_ascii(sv word) {
  std::string out;
  for (std::size_t at = 0; at < word.size();) {
    const char32_t c = decode_utf8(word, at);
    if (c < 0x80) {
      if (c >= 0x20 && c != 0x7f) out += static_cast<char>(c);
    } else if (c >= 0xc0 && c <= 0xff) {
      out += k_latin1[c - 0xc0];
      if (c == 0xdf) out += 's';
    } else if (c == 0x2018 || c == 0x2019) {
      out += '\'';
    } else if (c == 0x201c || c == 0x201d) {
      out += '"';
    } else if (c == 0x2013 || c == 0x2014) {
      out += '-';
    } else if (c == 0x2026) {
      out += "...";
    }
  }
  return out;
}

}  // namespace

std::string spoken_form(sv word) {
  std::string ascii = to_ascii(word);
  const bool heard = std::ranges::any_of(ascii, [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '&' || c == '%' || c == '+' ||
           c == '@' || c == '=' || c == '#' || c == '$';
  });
  return heard ? ascii : std::string();
}

}  // namespace svc::emulator::speech
