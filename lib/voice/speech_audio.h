// The bytes of synthesised speech: which form they have, how parts become one, how they sound
// while they arrive.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "audio/format.h"
#include "base/result.h"

namespace svc::voice {

enum class Codec : std::uint8_t { Mp3, Wav, Pcm, MuLaw, ALaw };

/// "mp3", "wav", "pcm", "mulaw", "alaw", as the service calls them; nothing for anything else.
[[nodiscard]] std::optional<Codec> parse_codec(std::string_view name);
[[nodiscard]] std::string_view codec_name(Codec codec);

/// The codec of a file's ending (.mp3, .wav, .pcm, .raw, .ulaw, .mulaw, .ul, .alaw, .al); nothing
/// for another one or none.
[[nodiscard]] std::optional<Codec> codec_of_file(std::string_view path);

/// The ending that a file of it gets: "mp3", "wav", "pcm", "ulaw", "alaw".
[[nodiscard]] std::string_view codec_ending(Codec codec);

/// What the head of a WAV file says, and where its samples begin.
struct WavHead {
  int tag = 1;  ///< 1: PCM, 6: A-law, 7: mu-law
  audio::Format format{};
  int bits = 16;
  std::size_t data = 0;          ///< where the samples begin, bytes
  std::uint64_t data_bytes = 0;  ///< as the head says; streams say too much, or nothing
};

/// Reads the head from the first bytes of a file. Nothing while it is not whole; Network when the
/// bytes are not a WAV file.
[[nodiscard]] Result<std::optional<WavHead>> read_wav_head(std::string_view bytes);

/// A head for samples like those behind `head`. Unknown lengths are the longest that can be said.
[[nodiscard]] std::string make_wav_head(const WavHead& head,
                                        std::optional<std::uint64_t> data_bytes);

/// The sound of a part without what makes it a file of its own: tags and the index frame of mp3,
/// the head of WAV. In pieces, as they arrive.
class PartSound {
 public:
  /// `rate`: of pcm, mulaw and alaw.
  PartSound(Codec codec, int rate) : m_codec(codec), m_rate(rate) {}

  /// Appends to `sound` what `bytes` hold of it. Network when the part is not of that codec.
  [[nodiscard]] Result<void> feed(std::string_view bytes, std::string& sound);
  /// The part is whole: appends the rest. Network as above.
  [[nodiscard]] Result<void> finish(std::string& sound) { return pass(sound, true); }

  [[nodiscard]] double seconds() const;
  [[nodiscard]] const std::optional<WavHead>& wav() const noexcept { return m_wav; }

 private:
  [[nodiscard]] Result<bool> begin(bool whole);
  [[nodiscard]] Result<bool> begin_mp3(bool whole);
  [[nodiscard]] std::size_t ready(bool whole);
  [[nodiscard]] Result<void> pass(std::string& sound, bool whole);
  void count_frames(std::size_t bytes);

  Codec m_codec;
  int m_rate;
  std::string m_rest{};  ///< not handed on yet
  bool m_begun = false;
  std::optional<std::size_t> m_tag{};  ///< of mp3: bytes of its first tag that are left
  std::optional<WavHead> m_wav{};
  std::uint64_t m_left = UINT64_MAX;  ///< samples of a WAV file, bytes
  std::uint64_t m_bytes = 0;          ///< handed on
  double m_seconds = 0;               ///< of mp3
  std::size_t m_walk = 0;             ///< of mp3: where the next frame begins in what is left
  bool m_counted = false;             ///< no further frame can be found
};

/// Bytes in pieces of any length, as samples. mp3 is not decoded here (audio/sound_file.h).
class SpeechDecoder {
 public:
  /// `rate`: of pcm, mulaw and alaw; a WAV file says its own.
  SpeechDecoder(Codec codec, int rate);

  /// Appends what `bytes` hold. Network for a WAV file that is none, or that holds other samples
  /// than 16-bit PCM and G.711.
  [[nodiscard]] Result<void> decode(std::string_view bytes, std::vector<audio::Sample>& samples);

  /// The next part begins: another head may come.
  void next_part();

  /// Known at once, but for WAV only behind its head.
  [[nodiscard]] std::optional<audio::Format> format() const noexcept { return m_format; }

 private:
  [[nodiscard]] Result<void> read_head(std::vector<audio::Sample>& samples);

  Codec m_codec;
  std::optional<audio::Format> m_format{};
  std::optional<audio::Decoder> m_decoder{};
  std::string m_head{};      ///< of a WAV file, as far as it came
  std::uint64_t m_left = 0;  ///< samples of a WAV file, bytes
};

}  // namespace svc::voice
