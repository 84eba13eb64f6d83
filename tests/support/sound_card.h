// A sound card without hardware: a PulseAudio daemon of its own with a speaker (`spk`) and a
// microphone (`vmic`), both silent until somebody plays something. Works as any user, in CI too;
// needs the packages pulseaudio, pulseaudio-utils and libasound2-plugins. What a program plays and
// captures at the card's own rate, in one channel, passes unchanged, byte for byte.
//
// In a unit test:
//   auto card = SoundCard::start({.rate = 24'000});
//   REQUIRE(card);
//   (*card)->apply();                       // this process plays and listens there from now on
//   (*card)->speak(samples);                // into the microphone, in real time
//   … svc::audio::open_speaker("", …) …
//   CHECK(find_sound((*card)->heard(), samples) …);
//
// In a case (tests/cases), which runs alone then:
//   sound: yes                 or several of: rate=16000 echo=40ms (the microphone hears the
//   speaker) command: svc-sound say ${TMP}/q.wav 16000 'what time is it'; svc-sound speak
//   ${TMP}/q.wav & svc stt live
//   --- after
//   svc-sound heard ${SOUND}/speaker.raw ${TMP}/q.wav
// `svc-sound` (tests/sound_main.cpp) makes and compares sound files and breaks the card; the card's
// environment is set for everything in the case, ${SOUND}/speaker.raw is what the speaker played
// (16-bit, one channel, at the card's rate), and pactl, paplay, parec can be used as well.
// There are the devices `default` and `pulse`, and by name `fake_mic` and `fake_speaker`.
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
  /// Its files are in a folder of its own below `parent`. Local when the daemon does not start.
  [[nodiscard]] static Result<std::unique_ptr<SoundCard>> start(
      const SoundCardOptions& options = {},
      const std::filesystem::path& parent = std::filesystem::temp_directory_path());
  SoundCard(const SoundCard&) = delete;
  SoundCard& operator=(const SoundCard&) = delete;
  ~SoundCard();

  /// What a program needs in its environment to use this card; SOUND is its folder.
  [[nodiscard]] const std::map<std::string, std::string>& environment() const noexcept {
    return m_environment;
  }
  /// The same for this process, until the card goes.
  void apply();

  /// Plays into the microphone, in real time, beside the caller. One at a time.
  [[nodiscard]] Result<void> speak(std::span<const std::int16_t> samples);
  /// Waits until speak() is through.
  void wait_spoken();

  /// All that came out of the speaker so far, the silence between too.
  [[nodiscard]] std::vector<std::int16_t> heard() const;

  /// The card is pulled out: its daemon is killed.
  void kill();
  /// The microphone stays, and gives nothing any more; or does again.
  [[nodiscard]] Result<void> suspend_microphone(bool suspend);

 private:
  SoundCard(const SoundCardOptions& options, std::filesystem::path folder);
  [[nodiscard]] Result<void> start_daemon();
  [[nodiscard]] Result<void> start_recorder();
  [[nodiscard]] Result<pid_t> run(const std::vector<std::string>& argv, int out) const;

  SoundCardOptions m_options;
  std::filesystem::path m_folder;
  std::map<std::string, std::string> m_environment{};
  std::map<std::string, std::string> m_before{};  ///< what apply() has to put back
  bool m_applied = false;
  std::unique_ptr<Companion> m_daemon{};
  std::unique_ptr<Companion> m_recorder{};
  std::unique_ptr<Companion> m_speaker{};
};

/// What this thread allocates in between is no leak: used while a card is applied.
void forgive_leaks() noexcept;
void blame_leaks() noexcept;

/// Where `part` stands in `whole`, as samples; -1 when nowhere. Silence around `part` is left out.
[[nodiscard]] std::ptrdiff_t find_sound(std::span<const std::int16_t> whole,
                                        std::span<const std::int16_t> part);

/// Noise of which no two stretches are alike, the same every time: what is lost or moved shows.
[[nodiscard]] std::vector<std::int16_t> test_noise(std::size_t samples, std::uint32_t seed = 1,
                                                   double amplitude = 0.3);

/// A sine of that frequency.
[[nodiscard]] std::vector<std::int16_t> test_tone(std::size_t samples, int rate, double hertz,
                                                  double amplitude = 0.5);

}  // namespace svc::test
