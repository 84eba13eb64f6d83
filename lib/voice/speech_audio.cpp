#include "voice/speech_audio.h"

#include <algorithm>
#include <array>

#include "audio/wav.h"
#include "base/text.h"

namespace svc::voice {
namespace {

struct CodecName {
  sv name;
  std::array<sv, 3> endings;  ///< of files, the usual one first
};
/// In the order of Codec.
constexpr std::array k_codec_names = {
    CodecName{"mp3", {".mp3"}}, CodecName{"wav", {".wav"}}, CodecName{"pcm", {".pcm", ".raw"}},
    CodecName{"mulaw", {".ulaw", ".mulaw", ".ul"}}, CodecName{"alaw", {".alaw", ".al"}}};

/// The first codec whose row fits.
std::optional<Codec> find_codec(auto fits) {
  const auto found = std::find_if(k_codec_names.begin(), k_codec_names.end(), fits);
  if (found == k_codec_names.end()) return std::nullopt;
  return static_cast<Codec>(found - k_codec_names.begin());
}

std::uint32_t read_little_endian(sv bytes, std::size_t at, std::size_t count) {
  std::uint32_t value = 0;
  for (std::size_t i = count; i > 0; --i) {
    value = (value << 8U) | static_cast<unsigned char>(bytes[at + i - 1]);
  }
  return value;
}

Error not_wav_error() {
  return Error{Fault::Network, "the service did not send a WAV file"};
}

// mp3 -------------------------------------------------------------------------------------------

/// A frame header (ISO 11172-3 §2.4.1.3 and its extension to lower rates).
struct Mp3Frame {
  std::size_t bytes = 0;
  int rate = 0;
  int samples = 0;
  std::size_t side = 0;  ///< offset of a possible index
};

std::optional<Mp3Frame> mp3_frame(sv bytes, std::size_t at) {
  if (at + 4 > bytes.size()) return std::nullopt;
  const auto byte = [&](std::size_t i) {
    return static_cast<unsigned>(static_cast<unsigned char>(bytes[at + i]));
  };
  if (byte(0) != 0xFF || (byte(1) & 0xE0U) != 0xE0U) return std::nullopt;
  const unsigned version = (byte(1) >> 3U) & 3U;  // 0: 2.5, 2: 2, 3: 1
  const unsigned layer = (byte(1) >> 1U) & 3U;    // 1: III
  const unsigned bit_rate_index = byte(2) >> 4U;
  const unsigned sample_rate_index = (byte(2) >> 2U) & 3U;
  if (version == 1 || layer != 1 || bit_rate_index == 0 || bit_rate_index == 15 ||
      sample_rate_index == 3) {
    return std::nullopt;
  }
  constexpr std::array<int, 14> high = {32,  40,  48,  56,  64,  80,  96,
                                        112, 128, 160, 192, 224, 256, 320};
  constexpr std::array<int, 14> low = {8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160};
  constexpr std::array<int, 3> hertz = {44'100, 48'000, 32'000};
  const bool first = version == 3;
  const bool mono = (byte(3) >> 6U) == 3U;
  Mp3Frame frame;
  frame.rate = hertz[sample_rate_index] / (first ? 1 : version == 2 ? 2 : 4);
  frame.samples = first ? 1152 : 576;
  const int kilobits = (first ? high : low)[bit_rate_index - 1];
  const auto padding = static_cast<int>((byte(2) >> 1U) & 1U);
  const int length = frame.samples / 8 * kilobits * 1000 / frame.rate + padding;
  frame.bytes = static_cast<std::size_t>(length);
  frame.side = 4 + static_cast<std::size_t>(first ? (mono ? 17 : 32) : (mono ? 9 : 17));
  return frame;
}

bool is_index(sv bytes, std::size_t at, const Mp3Frame& frame) {
  const sv whole = bytes.substr(at, frame.bytes);
  const sv mark = whole.size() > frame.side + 4 ? whole.substr(frame.side, 4) : sv();
  return mark == "Xing" || mark == "Info" || whole.substr(0, 40).find("VBRI") != sv::npos;
}

/// The length of the leading ID3v2 tag.
std::size_t id3_size(sv bytes) {
  if (bytes.size() < 10 || !bytes.starts_with("ID3")) return 0;
  std::size_t size = 0;
  for (std::size_t i = 6; i < 10; ++i) {
    size = (size << 7U) | (static_cast<unsigned char>(bytes[i]) & 0x7FU);
  }
  const bool footer = (static_cast<unsigned char>(bytes[5]) & 0x10U) != 0;
  return size + 10 + (footer ? 10 : 0);
}

constexpr std::size_t k_id3v1_size = 128;  ///< bytes of an ID3v1 tag

}  // namespace

std::optional<Codec> parse_codec(sv name) {
  return find_codec([&](const CodecName& row) { return row.name == name; });
}

sv codec_name(Codec codec) {
  return k_codec_names[static_cast<std::size_t>(codec)].name;
}

audio::Encoding encoding_of(Codec codec) {
  if (codec == Codec::MuLaw) return audio::Encoding::MuLaw;
  return codec == Codec::ALaw ? audio::Encoding::ALaw : audio::Encoding::Pcm;
}

sv codec_extension(Codec codec) {
  return k_codec_names[static_cast<std::size_t>(codec)].endings.front().substr(1);
}

std::optional<Codec> codec_of_file(sv path) {
  const std::string lower = to_lower(path);
  return find_codec([&](const CodecName& row) {
    return std::any_of(row.endings.begin(), row.endings.end(), [&](sv extension) {
      return !extension.empty() && lower.ends_with(extension);
    });
  });
}

Result<std::optional<WavHead>> read_wav_head(sv bytes) {
  constexpr std::size_t k_longest_head = 1U << 16U;
  if (!sv("RIFF").starts_with(bytes.substr(0, 4)) ||
      (bytes.size() > 8 && !sv("WAVE").starts_with(bytes.substr(8, 4)))) {
    return not_wav_error();
  }
  WavHead head;
  bool described = false;
  for (std::size_t at = 12; at + 8 <= bytes.size();) {
    const sv name = bytes.substr(at, 4);
    const std::uint64_t size = read_little_endian(bytes, at + 4, 4);
    at += 8;
    if (name == "data") {
      if (!described) return not_wav_error();
      head.data = at;
      head.data_bytes = size >= 0x7FFF'FFFFU ? 0 : size;
      return std::optional(head);
    }
    if (size > k_longest_head) return not_wav_error();
    if (at + size > bytes.size()) break;
    if (name == "fmt " && size >= 16) {
      described = true;
      head.tag = static_cast<int>(read_little_endian(bytes, at, 2));
      head.format = {static_cast<int>(read_little_endian(bytes, at + 4, 4)),
                     static_cast<int>(read_little_endian(bytes, at + 2, 2))};
      head.bits = static_cast<int>(read_little_endian(bytes, at + 14, 2));
      // The extensible format has the tag at a later offset.
      if (head.tag == 0xFFFE && size >= 26)
        head.tag = static_cast<int>(read_little_endian(bytes, at + 24, 2));
      if (head.format.rate <= 0 || head.format.channels <= 0 || head.format.channels > 64 ||
          head.bits <= 0 || head.bits > 64) {
        return not_wav_error();
      }
    }
    at += static_cast<std::size_t>(size + (size & 1U));
  }
  if (bytes.size() > k_longest_head) return not_wav_error();
  return std::optional<WavHead>();
}

std::string make_wav_head(const WavHead& head, std::optional<std::uint64_t> data_bytes) {
  return audio::wav_header(head.format, data_bytes.value_or(UINT64_MAX), head.tag, head.bits);
}

Result<void> PartAudioExtractor::feed(sv bytes, std::string& sound) {
  m_rest += bytes;
  return pass(sound, false);
}

double PartAudioExtractor::seconds() const {
  if (m_codec == Codec::Mp3) return m_seconds;
  std::int64_t second = std::int64_t{m_rate} * (m_codec == Codec::Pcm ? 2 : 1);
  if (m_codec == Codec::Wav) {  // whose rate may be any number
    const int frame = m_wav ? m_wav->format.channels * m_wav->bits / 8 : 0;
    second = frame == 0 ? 0 : std::int64_t{m_wav->format.rate} * frame;
  }
  return second == 0 ? 0.0 : static_cast<double>(m_bytes) / static_cast<double>(second);
}

/// Skips everything before the audio; returns whether that is done.
Result<bool> PartAudioExtractor::begin(bool whole) {
  if (m_codec == Codec::Mp3) return begin_mp3(whole);
  if (m_codec != Codec::Wav) return true;
  SVC_TRY(head, read_wav_head(m_rest));
  if (!head && whole) return not_wav_error();
  if (!head) return false;
  m_wav = *head;
  if (head->data_bytes != 0) m_left = head->data_bytes;
  m_rest.erase(0, head->data);
  return true;
}

Result<bool> PartAudioExtractor::begin_mp3(bool whole) {
  if (!m_tag && m_rest.size() < 10 && !whole) return false;
  if (!m_tag) m_tag = id3_size(m_rest);
  const std::size_t skipped = std::min(*m_tag, m_rest.size());
  m_rest.erase(0, skipped);
  *m_tag -= skipped;
  if (*m_tag == 0) m_rest.erase(0, m_rest.find_first_not_of('\0'));
  if (m_rest.size() < 4 && !whole) return false;
  const auto frame = mp3_frame(m_rest, 0);
  if (!frame) return Error{Fault::Network, "the service did not send MP3 audio"};
  if (m_rest.size() < frame->bytes && !whole) return false;
  if (is_index(m_rest, 0, *frame)) m_rest.erase(0, frame->bytes);
  return true;
}

/// The number of remaining bytes that are certainly audio.
std::size_t PartAudioExtractor::ready(bool whole) {
  const std::size_t size = m_rest.size();
  switch (m_codec) {
    case Codec::Mp3:
      if (!whole) return size > k_id3v1_size ? size - k_id3v1_size : 0;
      return size >= k_id3v1_size && sv(m_rest).substr(size - k_id3v1_size).starts_with("TAG")
                 ? size - k_id3v1_size
                 : size;
    case Codec::Wav:
      return static_cast<std::size_t>(std::min<std::uint64_t>(size, m_left));
    case Codec::Pcm:
      return size / 2 * 2;  // drop an incomplete sample
    default:
      return size;
  }
}

Result<void> PartAudioExtractor::pass(std::string& sound, bool whole) {
  if (!m_started) {
    SVC_TRY(started, begin(whole));
    if (!started) return {};
    m_started = true;
  }
  const std::size_t bytes = ready(whole);
  if (m_codec == Codec::Mp3) count_frames(bytes);
  sound.append(m_rest, 0, bytes);
  m_rest.erase(0, bytes);
  m_bytes += bytes;
  if (m_codec != Codec::Wav) return {};
  m_left -= bytes;
  if (m_left == 0) m_rest.clear();  // data after the samples
  return {};
}

void PartAudioExtractor::count_frames(std::size_t bytes) {
  while (!m_counted && m_next_frame < bytes) {
    const auto frame = mp3_frame(m_rest, m_next_frame);
    m_counted = !frame;
    if (!frame) return;
    m_seconds += static_cast<double>(frame->samples) / frame->rate;
    m_next_frame += frame->bytes;
  }
  m_next_frame -= std::min(m_next_frame, bytes);
}

SpeechDecoder::SpeechDecoder(Codec codec, int rate) : m_codec(codec) {
  if (codec == Codec::Wav || codec == Codec::Mp3) return;
  m_format = audio::Format{rate, 1};
  m_decoder.emplace(encoding_of(codec));
}

void SpeechDecoder::next_part() {
  if (m_codec != Codec::Wav) return;
  m_head.clear();
  m_decoder.reset();
}

Result<void> SpeechDecoder::decode(sv bytes, std::vector<audio::Sample>& samples) {
  if (m_codec == Codec::Wav && !m_decoder) {
    m_head += bytes;
    return read_head(samples);
  }
  if (m_codec == Codec::Wav) {
    bytes =
        bytes.substr(0, static_cast<std::size_t>(std::min<std::uint64_t>(bytes.size(), m_left)));
    m_left -= bytes.size();
  }
  if (m_decoder) m_decoder->decode(bytes, samples);
  return {};
}

Result<void> SpeechDecoder::read_head(std::vector<audio::Sample>& samples) {
  SVC_TRY(head, read_wav_head(m_head));
  if (!head) return {};
  if (head->tag == 1 && head->bits == 16) {
    m_decoder.emplace(audio::Encoding::Pcm);
  } else if (head->tag == 7 && head->bits == 8) {
    m_decoder.emplace(audio::Encoding::MuLaw);
  } else if (head->tag == 6 && head->bits == 8) {
    m_decoder.emplace(audio::Encoding::ALaw);
  } else {
    return Error{Fault::Network, "the service sent a WAV file in a format that cannot be played",
                 "Save it with -o FILE, or use --codec pcm."};
  }
  m_format = head->format;
  m_left = head->data_bytes == 0 ? UINT64_MAX : head->data_bytes;
  const std::string rest = m_head.substr(head->data);
  m_head.clear();
  return decode(rest, samples);
}

}  // namespace svc::voice
