#include "emulator/sound/audio.h"

#include <cstdarg>

#include "audio/sound_file.h"
#include "audio/wav.h"
#include "emulator/sound/listener.h"

namespace svc::emulator::speech {
namespace {

void say_nothing(const char* /*format*/, va_list /*values*/) {}

// From lame.h of 3.100; the development package is not needed for these few declarations.
struct Lame {
  void* (*init)() = nullptr;
  int (*set_in_rate)(void*, int) = nullptr;
  int (*set_out_rate)(void*, int) = nullptr;
  int (*set_channels)(void*, int) = nullptr;
  int (*set_bit_rate)(void*, int) = nullptr;
  int (*set_quality)(void*, int) = nullptr;
  int (*set_tag)(void*, int) = nullptr;
  int (*set_errors)(void*, void (*)(const char*, va_list)) = nullptr;
  int (*set_parameters)(void*) = nullptr;
  int (*encode)(void*, const short*, const short*, int, unsigned char*, int) = nullptr;
  int (*flush)(void*, unsigned char*, int) = nullptr;
  int (*close)(void*) = nullptr;
};

Result<Lame> load_lame() {
  SVC_TRY(library, open_library("mp3lame", 0, "mp3lame"));
  Lame f;
  const bool all =
      library.find(f.init, "lame_init") && library.find(f.set_in_rate, "lame_set_in_samplerate") &&
      library.find(f.set_out_rate, "lame_set_out_samplerate") &&
      library.find(f.set_channels, "lame_set_num_channels") &&
      library.find(f.set_bit_rate, "lame_set_brate") &&
      library.find(f.set_quality, "lame_set_quality") &&
      library.find(f.set_tag, "lame_set_bWriteVbrTag") &&
      library.find(f.set_errors, "lame_set_errorf") &&
      library.find(f.set_parameters, "lame_init_params") &&
      library.find(f.encode, "lame_encode_buffer") && library.find(f.flush, "lame_encode_flush") &&
      library.find(f.close, "lame_close");
  if (!all) return Error{Fault::Local, "libmp3lame is of an unknown version."};
  return f;
}

struct CodecName {
  Codec codec;
  sv name;
  sv type;
};
constexpr std::array k_codecs = {
    CodecName{Codec::Mp3, "mp3", "audio/mpeg"}, CodecName{Codec::Wav, "wav", "audio/wav"},
    CodecName{Codec::Pcm, "pcm", "audio/pcm"}, CodecName{Codec::Mulaw, "mulaw", "audio/basic"},
    CodecName{Codec::Alaw, "alaw", "audio/alaw"}};

/// Encodings that need no earlier samples.
class PlainEncoder final : public Encoder {
 public:
  PlainEncoder(Codec codec, std::string head) : m_codec(codec), m_head(std::move(head)) {}

  std::string feed(SampleView samples) override {
    const auto encoding = m_codec == Codec::Mulaw  ? audio::Encoding::MuLaw
                          : m_codec == Codec::Alaw ? audio::Encoding::ALaw
                                                   : audio::Encoding::Pcm;
    return std::exchange(m_head, {}) + audio::encode(samples, encoding);
  }
  std::string finish() override { return std::exchange(m_head, {}); }

 private:
  Codec m_codec;
  std::string m_head;
};

/// One channel at a constant bit rate, the nearest that MP3 supports for that sample rate.
class Mp3Encoder final : public Encoder {
 public:
  /// Returns Local if the library is not installed.
  static Result<std::unique_ptr<Encoder>> make(int rate, int bit_rate) {
    SVC_TRY(f, load_lame());
    Handle handle(f.init(), f.close);
    void* lame = handle.get();
    if (lame == nullptr) return Error{Fault::Unexpected, "LAME could not be set up."};
    f.set_errors(lame, say_nothing);
    f.set_channels(lame, 1);
    f.set_in_rate(lame, rate);
    f.set_out_rate(lame, rate);
    f.set_bit_rate(lame, bit_rate / 1000);
    f.set_quality(lame, 7);
    f.set_tag(lame, 0);  // it would have to be written at the start, at the end of encoding
    if (f.set_parameters(lame) < 0) return Error{Fault::Unexpected, "LAME refuses that rate."};
    return std::unique_ptr<Encoder>(new Mp3Encoder(f, std::move(handle)));
  }

  std::string feed(SampleView samples) override {
    if (samples.empty()) return {};
    // The worst case according to lame.h.
    return written(samples.size() * 5 / 4 + k_rest, [&](unsigned char* out, int size) {
      return m_lame.encode(m_handle.get(), samples.data(), samples.data(),
                           static_cast<int>(samples.size()), out, size);
    });
  }
  std::string finish() override {
    return written(k_rest, [&](unsigned char* out, int size) {
      return m_lame.flush(m_handle.get(), out, size);
    });
  }

 private:
  using Handle = std::unique_ptr<void, int (*)(void*)>;
  static constexpr std::size_t k_rest = 7200;

  Mp3Encoder(const Lame& lame, Handle handle) : m_lame(lame), m_handle(std::move(handle)) {}

  // Returns the output of `write`, at most `room` bytes.
  template <typename Write>
  static std::string written(std::size_t room, const Write& write) {
    std::string out(room, '\0');
    const int size =
        write(reinterpret_cast<unsigned char*>(out.data()), static_cast<int>(out.size()));
    out.resize(static_cast<std::size_t>(std::max(0, size)));
    return out;
  }

  Lame m_lame;
  Handle m_handle;
};

}  // namespace

// Scaling every other sample adds the spectrum mirrored at a quarter of the sample rate.
void fill_upper_band(Samples& samples, int rate, std::size_t position) {
  constexpr double k_mirrored = 0.3;
  if (rate > k_listen_rate / 2) return;
  for (std::size_t i = 1 - position % 2; i < samples.size(); i += 2) {
    samples[i] = to_sample(samples[i] * k_mirrored);
  }
}

std::optional<Codec> find_codec(sv name) {
  const auto* found = std::ranges::find(k_codecs, name, &CodecName::name);
  if (found == k_codecs.end()) return std::nullopt;
  return found->codec;
}

sv content_type(Codec codec) {
  return std::ranges::find(k_codecs, codec, &CodecName::codec)->type;
}

Result<std::unique_ptr<Encoder>> Encoder::make(Codec codec, int rate, int bit_rate,
                                               std::optional<std::uint64_t> total) {
  if (codec == Codec::Mp3) return Mp3Encoder::make(rate, bit_rate);
  // Programs that do not know the length yet write the maximum.
  std::string head =
      codec == Codec::Wav
          ? audio::wav_header({rate, 1}, total ? *total * 2 : audio::k_most_wav_bytes)
          : "";
  return std::unique_ptr<Encoder>(std::make_unique<PlainEncoder>(codec, std::move(head)));
}

}  // namespace svc::emulator::speech

namespace svc::emulator::stt {
namespace {

// Returns a format that the service reads but this emulator does not, by its first bytes.
sv foreign_format(sv head) {
  if (head.size() >= 12 && head.substr(4).starts_with("ftyp")) {
    return head.substr(8).starts_with("M4A") ? "m4a" : "mp4";
  }
  if (head.starts_with("\x1a\x45\xdf\xa3")) return "mkv";
  if (head.size() >= 2 && head[0] == '\xff' && (head[1] & '\xf6') == '\xf0') return "aac";
  return {};
}

Error container_error(sv bytes) {
  const sv foreign = foreign_format(bytes);
  if (!foreign.empty()) {
    return usage_error(
        fmt::format("This emulator cannot decode {}, which the service can. Convert "
                    "the file to wav, mp3, ogg, opus or flac.",
                    foreign));
  }
  return usage_error(
      "The audio format was not recognized. Containers are detected by their content; raw audio "
      "needs audio_format and sample_rate.");
}

constexpr std::size_t k_block = 16'384;  // frames

}  // namespace

std::optional<audio::Encoding> raw_encoding(sv name) {
  if (name == "pcm") return audio::Encoding::Pcm;
  if (name == "mulaw") return audio::Encoding::MuLaw;
  return name == "alaw" ? std::optional(audio::Encoding::ALaw) : std::nullopt;
}

Result<ChannelSplitter> ChannelSplitter::make(int rate, int channels) {
  SVC_TRY(resampler, audio::Resampler::create(channels, rate, speech::k_listen_rate));
  return ChannelSplitter(std::move(resampler), rate, channels);
}

std::vector<speech::Samples> ChannelSplitter::split(const speech::Samples& interleaved) {
  std::vector<speech::Samples> channels(m_channels);
  for (std::size_t i = 0; i < interleaved.size(); ++i) {
    channels[i % m_channels].push_back(interleaved[i]);
  }
  for (speech::Samples& channel : channels) speech::fill_upper_band(channel, m_rate, m_position);
  m_position += channels.front().size();
  return channels;
}

std::vector<speech::Samples> ChannelSplitter::feed(speech::SampleView interleaved) {
  speech::Samples out;
  m_resampler.process(interleaved, out);
  return split(out);
}

std::vector<speech::Samples> ChannelSplitter::finish() {
  speech::Samples out;
  m_resampler.flush(out);
  return split(out);
}

Result<double> decode_audio(sv bytes, const InputFormat& format, const AudioSink& sink) {
  audio::Format source{format.rate, format.channels};
  std::unique_ptr<audio::SoundReader> file;
  if (!format.raw) {
    auto opened = audio::open_sound_view(bytes, "the audio", {0, 0});
    if (!opened) {
      return opened.error().fault == Fault::Usage ? container_error(bytes) : opened.error();
    }
    file = *std::move(opened);
    source = file->format();
    if (source.channels > 8 || source.rate < 1000 || source.rate > 384'000) {
      return usage_error("Audio has 1 to 8 channels and 1 to 384 kHz.");
    }
  }
  SVC_TRY(splitter, ChannelSplitter::make(source.rate, source.channels));
  const auto channels = static_cast<std::size_t>(source.channels);
  std::uint64_t frames = 0;
  for (;;) {
    speech::Samples block;
    if (file) {
      SVC_CHECK(file->read(k_block, block));
    } else {
      const sv part = bytes.substr(0, k_block * channels * audio::bytes_per_sample(*format.raw));
      bytes.remove_prefix(part.size());
      block = audio::decode(part, *format.raw);
      block.resize(block.size() / channels * channels);  // ignore half a frame at the end
    }
    frames += block.size() / channels;
    if (block.empty() || !sink(splitter.feed(block))) break;
  }
  (void)sink(splitter.finish());
  return static_cast<double>(frames) / source.rate;
}

}  // namespace svc::emulator::stt
