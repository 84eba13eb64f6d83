// A room with a speaker, a microphone and somebody who talks: what the microphone hears, offline.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "audio/format.h"

namespace svc::rooms {

using Samples = std::vector<audio::Sample>;

inline constexpr int k_rate = 24'000;

/// What an answer consists of.
enum class Played : std::uint8_t { Speech, Music, TwoVoices };

struct Setting {
  double delay = 40;           ///< ms from the device's timestamp to the echo
  double reverberation = 0.3;  ///< s until it is 60 dB softer
  double talker = 0;           ///< dB louder than the echo; both are means while they sound
  double echo = 0;             ///< dB louder than -17 dBFS
  double distortion = 0;       ///< share of the loudspeaker's range that it exceeds
  double drift = 0;            ///< parts per million between the two clocks
  double noise = -50;          ///< dBFS
  double jump = 0;             ///< ms by which the delay changes in the middle
  /// An interruption stops the device, as svc does; the next answer's delay differs by this, in ms.
  double restart = 0;
  double headphones = 0;  ///< dB by which they make the echo softer; the talker stays
  Played played = Played::Speech;
  double seconds = 30;
  double first = 2.5;  ///< s after which the talker may interrupt
};

/// "delay 40 ms, reverberation 0.30 s, …".
[[nodiscard]] std::string shown(const Setting& setting);

/// Something the talker says.
struct Utterance {
  std::size_t begin = 0;  ///< samples; without silence around it
  std::size_t end = 0;
};

struct Scene {
  Samples played{};
  Samples captured{};
  Samples talker{};  ///< alone, as the microphone hears it
  std::vector<Utterance> utterances{};
};

/// Speech of several speakers: synthesized, or recordings in any format.
class Speakers {
 public:
  /// Recordings are `directory`/speech-VOICE.wav and phrase-VOICE-NUMBER.wav, numbered from 0:
  /// 7 voices, 10 phrases of each. Without a directory, it is synthesized.
  explicit Speakers(std::string directory = {}) : m_directory(std::move(directory)) {}
  /// Fails with a message if there is no speech synthesis, or a recording is missing.
  [[nodiscard]] std::string check();
  /// About `seconds` of speech; another text and voice for each number.
  [[nodiscard]] const std::vector<float>& speech(std::size_t voice);
  [[nodiscard]] const std::vector<float>& phrase(std::size_t voice, std::size_t number);
  [[nodiscard]] static std::size_t voices();

 private:
  [[nodiscard]] std::vector<float> sound(const std::string& name, std::size_t voice,
                                         const char* text) const;
  std::string m_directory;
  std::vector<std::vector<float>> m_speech{};
  std::vector<std::vector<std::vector<float>>> m_phrases{};
};

[[nodiscard]] Scene make_scene(const Setting& setting, Speakers& speakers, std::mt19937_64& random);

}  // namespace svc::rooms
