#include "rooms/scene.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "audio/fft.h"
#include "audio/sound_file.h"
#include "emulator/sound/speaker.h"

namespace svc::rooms {
namespace {

using audio::Bin;
using emulator::speech::BaseVoice;
using emulator::speech::VoiceSettings;
using Signal = std::vector<float>;

constexpr double k_echo_level = -17;  // dBFS

constexpr std::array<VoiceSettings, 7> k_voices = {{
    {.base_voice = BaseVoice::Slt},
    {.base_voice = BaseVoice::Rms},
    {.base_voice = BaseVoice::Awb},
    {.base_voice = BaseVoice::Slt, .pitch = 210, .size = 1.1, .pace = 1.15},
    {.base_voice = BaseVoice::Rms, .pitch = 85, .size = 0.93, .pace = 0.9},
    {.base_voice = BaseVoice::Awb, .pitch = 150, .size = 1.05, .pace = 1.2},
    {.base_voice = BaseVoice::Kal},
}};

constexpr std::array<const char*, 7> k_texts = {
    "The harbour opens at six, and the first boats leave before the sun is up. They carry nets, "
    "bread and coffee for a day. By noon most of them are back, because the wind turns then and "
    "the way home becomes long. Nobody here counts the hours; they count the tides.",
    "To repair the pump, close the main valve first, and wait until the pressure falls to zero. "
    "Then remove the four screws on the cover, from the left to the right. Behind it you will see "
    "a filter, which should be white. If it is brown, replace it and note the date.",
    "In the second chapter the travellers reach a village without a name. A woman sells apples by "
    "the road, and she tells them that the bridge is gone. They could swim, she says, or they "
    "could "
    "listen to an old story until the ferry comes. They choose the story, of course.",
    "Prices rose by two percent in March, mostly for food and fuel. Rents hardly changed, while "
    "clothes became cheaper. Economists expect a quiet summer, although the weather may decide "
    "what a kilo of tomatoes costs in August. Wages follow with a delay of about half a year.",
    "A violin has four strings, tuned in fifths, and about seventy parts of wood. Its sound "
    "changes with the air, so players tune it again and again. The oldest ones were built more "
    "than four centuries ago, and some of them are still played in public every week.",
    "Mix the flour with water and a little salt, and let it rest for an hour. Meanwhile chop the "
    "onions very finely and fry them slowly until they are golden. Add pepper, thyme and a glass "
    "of cider. Bake everything at a hundred and eighty degrees for about forty minutes.",
    "Snow fell all night, and in the morning every fence wore a white hat. The children measured "
    "it with a ruler at the kitchen door and wrote the number on the wall. Twelve was the record, "
    "from the year when the school bus stayed in the ditch until Thursday afternoon.",
};

constexpr std::array<const char*, 10> k_phrases = {
    "Stop, please, that is enough.",      "Wait a moment, I have a question.",
    "Could you say that again slowly?",   "No, I meant the other one.",
    "Hold on, someone is at the door.",   "What time does it open tomorrow?",
    "Thank you, now tell me about Rome.", "Excuse me, how much is that in euros?",
    "Go back to the second point.",       "Yes, but what happens afterwards?",
};

Signal resampled(const audio::Sample* samples, std::size_t count, int from) {
  Signal out(count * k_rate / static_cast<std::size_t>(from));
  for (std::size_t i = 0; i < out.size(); ++i) {
    const double at = static_cast<double>(i) * from / k_rate;
    const auto whole = static_cast<std::ptrdiff_t>(at);
    double sum = 0;
    for (std::ptrdiff_t tap = whole - 7; tap <= whole + 8; ++tap) {
      if (tap < 0 || tap >= static_cast<std::ptrdiff_t>(count)) continue;
      const double x = std::numbers::pi * (static_cast<double>(tap) - at);
      const double sinc = std::abs(x) < 1e-9 ? 1 : std::sin(x) / x;
      sum += samples[tap] / 32'768.0 * sinc * (0.5 + 0.5 * std::cos(x / 8.5));
    }
    out[i] = static_cast<float>(sum);
  }
  return out;
}

/// Its level while it sounds.
double active_level(const Signal& signal) {
  std::vector<double> powers;
  for (std::size_t at = 0; at + 480 <= signal.size(); at += 480) {
    double sum = 0;
    for (std::size_t i = at; i < at + 480; ++i) sum += static_cast<double>(signal[i]) * signal[i];
    powers.push_back(sum / 480);
  }
  double loudest = 0;
  for (const double one : powers) loudest = std::max(loudest, one);
  double sum = 0;
  double count = 1e-9;
  for (const double one : powers) {
    if (one < loudest / 1'000) continue;
    sum += one;
    ++count;
  }
  return std::sqrt(sum / count);
}

void scale_to(Signal& signal, double level) {
  const double factor = std::pow(10, level / 20) / std::max(1e-9, active_level(signal));
  for (float& one : signal) one = static_cast<float>(one * factor);
}

Signal convolved(const Signal& signal, const Signal& response) {
  const std::size_t size = std::max<std::size_t>(16'384, std::bit_ceil(2 * response.size()));
  audio::Fft fft(size);
  std::vector<Bin> filter(fft.bins());
  std::vector<Bin> spectrum(fft.bins());
  Signal work(size);
  std::copy(response.begin(), response.end(), work.begin());
  fft.forward(work, filter);
  const std::size_t step = size - response.size();
  Signal out(signal.size() + size);
  for (std::size_t at = 0; at < signal.size(); at += step) {
    std::ranges::fill(work, 0.0F);
    const std::size_t count = std::min(step, signal.size() - at);
    std::copy_n(signal.begin() + static_cast<std::ptrdiff_t>(at), count, work.begin());
    fft.forward(work, spectrum);
    for (std::size_t k = 0; k < spectrum.size(); ++k) {
      spectrum[k] = audio::product(spectrum[k], filter[k]);
    }
    fft.inverse(spectrum, work);
    for (std::size_t i = 0; i < size; ++i) out[at + i] += work[i];
  }
  out.resize(signal.size());
  return out;
}

double uniform(std::mt19937_64& random, double from, double to) {
  return std::uniform_real_distribution<double>(from, to)(random);
}

/// Direct sound, some early reflections, and a tail that fades.
Signal room_response(double reverberation, std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  Signal response(static_cast<std::size_t>(std::min(0.7, 0.8 * reverberation + 0.03) * k_rate));
  const double direct_to_rest = std::pow(10, uniform(random, 0, 6) / 10);
  double energy = 0;
  for (std::size_t i = k_rate / 400; i < response.size(); ++i) {
    const double fade = std::exp(-6.9 * static_cast<double>(i) / k_rate / reverberation);
    const bool early = i < k_rate / 25;
    const double sound = early && uniform(random, 0, 1) > 0.03 ? 0.15 : 1;
    response[i] = static_cast<float>(normal(random) * fade * sound);
    energy += static_cast<double>(response[i]) * response[i];
  }
  const double scale = 1 / std::sqrt(energy * direct_to_rest);
  for (float& one : response) one = static_cast<float>(one * scale);
  response[0] = 1;
  return response;
}

/// Chords that change, with a beat.
Signal music(std::size_t count, std::mt19937_64& random) {
  Signal out(count);
  constexpr std::array<double, 8> k_scale = {220, 247, 262, 294, 330, 349, 392, 440};
  for (std::size_t bar = 0; bar * k_rate / 2 < count; ++bar) {
    for (int note = 0; note < 3; ++note) {
      const double hertz = k_scale[random() % k_scale.size()] * (note == 0 ? 0.5 : 1);
      const std::size_t begin = bar * k_rate / 2;
      for (std::size_t i = begin; i < std::min(count, begin + k_rate / 2); ++i) {
        const double at = static_cast<double>(i - begin) / k_rate;
        const double envelope = std::min(1.0, at / 0.01) * std::exp(-3 * at);
        for (int harmonic = 1; harmonic <= 8; ++harmonic) {
          out[i] += static_cast<float>(envelope / harmonic *
                                       std::sin(2 * std::numbers::pi * hertz * harmonic * at));
        }
      }
    }
  }
  return out;
}

/// What an interruption leaves of an answer: nothing from its first word until after its end.
struct Stop {
  std::size_t begin = 0;
  std::size_t end = 0;
};

std::vector<Stop> stops(const Setting& setting, const std::vector<Utterance>& utterances) {
  std::vector<Stop> stops;
  if (setting.restart == 0) return stops;
  for (const Utterance& one : utterances) {
    stops.push_back({one.begin + k_rate / 3, one.end + k_rate * 6 / 5});
  }
  return stops;
}

/// Later by `delay` seconds, which grows with `drift`, changes by `jump` in the middle, and by
/// `restart` with each stop, to and fro.
Signal delayed(const Signal& signal, const Setting& setting, const std::vector<Stop>& stops) {
  Signal out(signal.size());
  std::size_t stopped = 0;
  for (std::size_t i = 0; i < out.size(); ++i) {
    const auto now = static_cast<double>(i);
    double back = setting.delay / 1000 * k_rate + setting.drift * 1e-6 * now;
    if (i > out.size() / 2) back += setting.jump / 1000 * k_rate;
    // What was played before is heard until the middle of a stop.
    while (stopped < stops.size() && 2 * i > stops[stopped].begin + stops[stopped].end) ++stopped;
    if (stopped % 2 == 1) back += setting.restart / 1000 * k_rate;
    const double at = now - back;
    const auto whole = static_cast<std::ptrdiff_t>(std::floor(at));
    if (whole < 7 || whole + 8 >= static_cast<std::ptrdiff_t>(signal.size())) continue;
    const double part = at - static_cast<double>(whole);
    if (part < 1e-6) {
      out[i] = signal[static_cast<std::size_t>(whole)];
      continue;
    }
    const double sine = std::sin(std::numbers::pi * part) / std::numbers::pi;
    double sum = 0;
    for (int tap = -7; tap <= 8; ++tap) {
      const double x = part - tap;
      const double sign = tap % 2 == 0 ? 1 : -1;
      const double hann = 1 - x * x / 72.25;  // nearly a Hann window, and much faster
      sum += signal[static_cast<std::size_t>(whole + tap)] * sign * sine / x * hann * hann;
    }
    out[i] = static_cast<float>(sum);
  }
  return out;
}

Signal answers(const Setting& setting, Speakers& speakers, std::mt19937_64& random) {
  const auto count = static_cast<std::size_t>(setting.seconds * k_rate);
  Signal far(count);
  const std::size_t voice = random() % Speakers::voices();
  const auto& speech = speakers.speech(voice);
  const auto& second = speakers.speech((voice + 2) % Speakers::voices());
  const std::size_t from = random() % speech.size();
  // Two answers with a pause between them.
  const auto begin = static_cast<std::size_t>(0.3 * k_rate);
  const auto pause = static_cast<std::size_t>(0.55 * static_cast<double>(count));
  for (std::size_t i = begin; i < count; ++i) {
    if (i >= pause && i < pause + 3 * k_rate / 2) continue;
    far[i] = speech[(from + i) % speech.size()];
    if (setting.played == Played::TwoVoices)
      far[i] += 0.7F * second[(2 * from + i) % second.size()];
  }
  if (setting.played == Played::Music) {
    Signal chords = music(count, random);
    scale_to(chords, 20 * std::log10(active_level(far)) - 3);
    for (std::size_t i = begin; i < count; ++i) far[i] += chords[i];
  }
  scale_to(far, -20);
  return far;
}

/// Places what the talker says.
std::vector<Utterance> talk(const Setting& setting, Speakers& speakers, std::mt19937_64& random,
                            Signal& near) {
  std::vector<Utterance> utterances;
  const std::size_t voice = random() % Speakers::voices();
  double at = setting.first + uniform(random, 0, 1);
  while (true) {
    const auto& phrase = speakers.phrase(voice, random() % k_phrases.size());
    const auto begin = static_cast<std::size_t>(at * k_rate);
    const std::size_t end = begin + phrase.size();
    if (end + k_rate / 2 > near.size()) return utterances;
    std::copy(phrase.begin(), phrase.end(), near.begin() + static_cast<std::ptrdiff_t>(begin));
    utterances.push_back({begin, end});
    at = static_cast<double>(end) / k_rate + uniform(random, 2.2, 4);
  }
}

}  // namespace

std::string shown(const Setting& setting) {
  return fmt::format(
      "delay {:.0f} ms, reverberation {:.2f} s, echo {:.0f} dB, talker {:+.0f} dB, distortion "
      "{:.1f}, drift {:.0f} "
      "ppm, noise {:.0f} dB, jump {:.0f} ms, restart {:.0f} ms, headphones {:.0f} dB, {}",
      setting.delay, setting.reverberation, setting.echo, setting.talker, setting.distortion,
      setting.drift, setting.noise, setting.jump, setting.restart, setting.headphones,
      setting.played == Played::Speech  ? "speech"
      : setting.played == Played::Music ? "speech and music"
                                        : "two voices");
}

std::string Speakers::check() {
  if (m_directory.empty()) {
    const auto checked = emulator::speech::check_flite();
    return checked ? std::string() : checked.error().message;
  }
  for (std::size_t voice = 0; voice < voices(); ++voice) {
    bool good = !speech(voice).empty();
    for (std::size_t i = 0; i < k_phrases.size(); ++i) good = good && !phrase(voice, i).empty();
    if (!good) return fmt::format("{} lacks recordings of voice {}", m_directory, voice);
  }
  return {};
}

std::size_t Speakers::voices() {
  return k_voices.size();
}

/// Empty if there is none.
std::vector<float> Speakers::sound(const std::string& name, std::size_t voice,
                                   const char* text) const {
  if (m_directory.empty()) {
    const auto made = emulator::speech::synthesize(text, k_voices[voice]);
    if (!made) return {};
    return resampled(made->samples.data(), made->samples.size(), made->rate);
  }
  const auto path = m_directory + "/" + name + ".wav";
  auto reader = audio::open_sound_reader(path, {.rate = 0, .channels = 1});
  if (!reader) return {};
  const auto samples = audio::read_all(**reader);
  if (!samples) return {};
  return resampled(samples->data(), samples->size(), (*reader)->format().rate);
}

const std::vector<float>& Speakers::speech(std::size_t voice) {
  m_speech.resize(voices());
  if (!m_speech[voice].empty()) return m_speech[voice];
  return m_speech[voice] = sound(fmt::format("speech-{}", voice), voice, k_texts[voice]);
}

const std::vector<float>& Speakers::phrase(std::size_t voice, std::size_t number) {
  m_phrases.resize(voices());
  m_phrases[voice].resize(k_phrases.size());
  auto& phrase = m_phrases[voice][number];
  if (!phrase.empty()) return phrase;
  phrase = sound(fmt::format("phrase-{}-{}", voice, number), voice, k_phrases[number]);
  scale_to(phrase, 0);
  const auto heard = [](float sample) { return std::abs(sample) > 0.1F; };
  phrase.erase(std::find_if(phrase.rbegin(), phrase.rend(), heard).base(), phrase.end());
  phrase.erase(phrase.begin(), std::ranges::find_if(phrase, heard));
  return phrase;
}

Scene make_scene(const Setting& setting, Speakers& speakers, std::mt19937_64& random) {
  Signal far = answers(setting, speakers, random);
  const Signal response = room_response(setting.reverberation, random);
  Scene scene;
  Signal near(far.size());
  scene.utterances = talk(setting, speakers, random, near);
  const std::vector<Stop> silences = stops(setting, scene.utterances);
  for (const auto& [begin, end] : silences) {
    std::fill(far.begin() + static_cast<std::ptrdiff_t>(begin),
              far.begin() + static_cast<std::ptrdiff_t>(std::min(end, far.size())), 0.0F);
  }
  for (const float one : far) scene.played.push_back(audio::sample_of(one));
  if (setting.distortion > 0) {
    // A small loudspeaker at full volume.
    const double most = 3 * active_level(far) * (1 - 0.7 * setting.distortion);
    for (float& one : far) one = static_cast<float>(most * std::tanh(one / most));
  }
  Signal echo = convolved(delayed(far, setting, silences), response);
  scale_to(echo, k_echo_level + setting.echo - setting.headphones);
  near = convolved(near, room_response(std::min(0.3, setting.reverberation), random));
  scale_to(near, k_echo_level + setting.echo + setting.talker);
  std::normal_distribution<double> normal;
  double smooth = 0;
  const double hiss = std::pow(10, setting.noise / 20);
  for (std::size_t i = 0; i < far.size(); ++i) {
    const double white = normal(random);
    smooth += 0.3 * (white - smooth);
    const double noise = hiss * (0.35 * white + 2.2 * smooth) * 0.85;
    scene.captured.push_back(audio::sample_of(static_cast<float>(echo[i] + near[i] + noise)));
    scene.talker.push_back(audio::sample_of(near[i]));
  }
  return scene;
}

}  // namespace svc::rooms
