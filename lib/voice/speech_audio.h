// Audio formats of synthesised speech: detecting them, joining parts, and decoding while the audio
// arrives.
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

/// Parses the service's codec names: "mp3", "wav", "pcm", "mulaw", "alaw"; otherwise nothing.
[[nodiscard]] std::optional<Codec> parse_codec(std::string_view name);
[[nodiscard]] std::string_view codec_name(Codec codec);

/// The codec for a file extension (.mp3, .wav, .pcm, .raw, .ulaw, .mulaw, .ul, .alaw, .al);
/// otherwise nothing.
[[nodiscard]] std::optional<Codec> codec_of_file(std::string_view path);

/// The encoding of a codec's samples, as far as the codec tells: PCM for all but mulaw and alaw.
[[nodiscard]] audio::Encoding encoding_of(Codec codec);

/// The file extension for a codec: "mp3", "wav", "pcm", "ulaw", "alaw".
[[nodiscard]] std::string_view codec_extension(Codec codec);

/// The header of a WAV file, and where its samples start.
struct WavHead {
  int tag = 1;  ///< 1: PCM, 6: A-law, 7: mu-law
  audio::Format format{};
  int bits = 16;
  std::size_t data = 0;          ///< offset of the samples, in bytes
  std::uint64_t data_bytes = 0;  ///< as in the header; streams specify too much or nothing
};

/// Parses the header from a file's first bytes. Returns nothing while it is incomplete. Fails with
/// Fault::Network if the bytes are not a WAV file.
[[nodiscard]] Result<std::optional<WavHead>> read_wav_head(std::string_view bytes);

/// A header for samples in the format of `head`. An unknown length becomes the maximum.
[[nodiscard]] std::string make_wav_head(const WavHead& head,
                                        std::optional<std::uint64_t> data_bytes);

/// Extracts a part's audio so that parts can be concatenated: removes tags and the index frame of
/// MP3, and the header of WAV. Works on chunks as they arrive.
class PartAudioExtractor {
 public:
  /// `rate` is used for pcm, mulaw and alaw.
  PartAudioExtractor(Codec codec, int rate) : m_codec(codec), m_rate(rate) {}

  /// Appends the audio in `bytes` to `sound`. Fails with Fault::Network if the part has another
  /// codec.
  [[nodiscard]] Result<void> feed(std::string_view bytes, std::string& sound);
  /// Call at the end of the part: appends the rest. Errors as for feed().
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
  std::string m_rest{};  ///< not passed on yet
  bool m_started = false;
  std::optional<std::size_t> m_tag{};  ///< mp3: remaining bytes of the leading tag
  std::optional<WavHead> m_wav{};
  std::uint64_t m_left = UINT64_MAX;  ///< wav: remaining bytes of samples
  std::uint64_t m_bytes = 0;          ///< passed on
  double m_seconds = 0;               ///< mp3
  std::size_t m_next_frame = 0;       ///< mp3: offset of the next frame in m_rest
  bool m_counted = false;             ///< no more frames can be found
};

/// Decodes chunks of any length to samples. Does not decode MP3 (see audio/sound_file.h).
class SpeechDecoder {
 public:
  /// `rate` is used for pcm, mulaw and alaw; a WAV file specifies its own.
  SpeechDecoder(Codec codec, int rate);

  /// Appends the samples in `bytes`. Fails with Fault::Network if it should be a WAV file and is
  /// not, or if its samples are neither 16-bit PCM nor G.711.
  [[nodiscard]] Result<void> decode(std::string_view bytes, std::vector<audio::Sample>& samples);

  /// Call before the next part, which may start with a header.
  void next_part();

  /// Known from the start, except for WAV, where it follows the header.
  [[nodiscard]] std::optional<audio::Format> format() const noexcept { return m_format; }

 private:
  [[nodiscard]] Result<void> read_head(std::vector<audio::Sample>& samples);

  Codec m_codec;
  std::optional<audio::Format> m_format{};
  std::optional<audio::Decoder> m_decoder{};
  std::string m_head{};      ///< wav: the header so far
  std::uint64_t m_left = 0;  ///< wav: remaining bytes of samples
};

}  // namespace svc::voice
