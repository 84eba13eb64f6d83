// A sound card without hardware: a private PulseAudio daemon with a speaker (`spk`) and a
// microphone (`vmic`), both silent until something is played. Works as any user and in CI; needs
// the packages pulseaudio, pulseaudio-utils and libasound2-plugins. Mono audio at the card's own
// rate is played and captured unchanged, byte for byte.
//
// In a unit test:
//   auto card = SoundCard::start({.rate = 24'000});
//   REQUIRE(card);
//   (*card)->apply();                       // from now on this process uses the card
//   (*card)->speak(samples);                // into the microphone, in real time
//   … svc::audio::open_speaker("", …) …
//   CHECK(find_sound((*card)->heard(), samples) …);
//
// In a case (tests/cases), which then runs beside others with sound only:
//   sound: yes                 or rate=16000 or echo=40ms (the microphone hears the speaker)
//   --- command
//   svc-sound say ${TMP}/q.wav 16000 'what time is it'; svc-sound speak ${TMP}/q.wav & svc stt live
//   --- after
//   svc-sound heard ${SOUND}/speaker.raw ${TMP}/q.wav
// `svc-sound` (tests/sound_main.cpp) creates and compares audio files and breaks the card; the
// card's environment is set for the whole case, ${SOUND}/speaker.raw is the speaker's output
// (16-bit mono at the card's rate), and pactl, paplay and parec work as well. The devices are
// `default` and `pulse`, and by name `fake_mic` and `fake_speaker`.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "support/case_companion.h"
#include "support/case_file.h"

namespace svc::test {

using SoundCardOptions = CaseSound;

class SoundCard {
 public:
  /// Its files are in a new directory in `parent`. Local if the daemon does not start.
  [[nodiscard]] static Result<std::unique_ptr<SoundCard>> start(
      const SoundCardOptions& options = {},
      const std::filesystem::path& parent = std::filesystem::temp_directory_path());
  SoundCard(const SoundCard&) = delete;
  SoundCard& operator=(const SoundCard&) = delete;
  ~SoundCard();

  /// The environment with which a program uses this card; SOUND is its directory.
  [[nodiscard]] const std::map<std::string, std::string>& environment() const noexcept {
    return m_environment;
  }
  /// Sets the same environment for this process, until the card is destroyed.
  void apply();

  /// Plays into the microphone in real time, in the background. One at a time.
  [[nodiscard]] Result<void> speak(std::span<const std::int16_t> samples);
  /// Waits until speak() has finished.
  void wait_spoken();

  /// Everything the speaker has played so far, including silence.
  [[nodiscard]] std::vector<std::int16_t> heard() const;

  /// Unplugs the card: kills its daemon.
  void kill();
  /// Makes the microphone stop delivering audio while it remains present, or resume.
  [[nodiscard]] Result<void> suspend_microphone(bool suspend);

 private:
  SoundCard(const SoundCardOptions& options, std::filesystem::path directory);
  [[nodiscard]] Result<void> start_daemon();
  [[nodiscard]] Result<void> start_recorder();
  [[nodiscard]] Result<pid_t> run(const std::vector<std::string>& argv, int out) const;

  SoundCardOptions m_options;
  std::filesystem::path m_directory;
  std::map<std::string, std::string> m_environment{};
  std::map<std::string, std::string> m_before{};  ///< to be restored after apply()
  bool m_applied = false;
  std::unique_ptr<Companion> m_daemon{};
  std::unique_ptr<Companion> m_recorder{};
  std::unique_ptr<Companion> m_speaker{};
};

/// Excludes this thread's allocations from leak checks; used while a card is applied.
void forgive_leaks() noexcept;
void blame_leaks() noexcept;

/// The position of `part` in `whole` in samples, ignoring silence around `part`; -1 if not found.
[[nodiscard]] std::ptrdiff_t find_sound(std::span<const std::int16_t> whole,
                                        std::span<const std::int16_t> part);

/// Reproducible noise without repeated stretches, so that lost or moved audio is detected.
[[nodiscard]] std::vector<std::int16_t> test_noise(std::size_t samples, std::uint32_t seed = 1,
                                                   double amplitude = 0.3);

/// A sine wave.
[[nodiscard]] std::vector<std::int16_t> test_tone(std::size_t samples, int rate, double hertz,
                                                  double amplitude = 0.5);

}  // namespace svc::test
