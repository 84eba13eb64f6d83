#include "emulator/sound/audio.h"

#include <algorithm>
#include <array>
#include <cstdarg>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "audio/wav.h"
#include "emulator/sound/listener.h"

namespace svc::emulator::speech {
namespace {

constexpr int k_mono = 3;  // MPEG_mode of lame.h

void say_nothing(const char* /*format*/, va_list /*values*/) {}

// From lame.h of 3.100; the development package is not needed for these few declarations.
struct Lame {
  void* (*init)() = nullptr;
  int (*set_in_rate)(void*, int) = nullptr;
  int (*set_out_rate)(void*, int) = nullptr;
  int (*set_channels)(void*, int) = nullptr;
  int (*set_mode)(void*, int) = nullptr;
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
  SVC_TRY(library, open_library("libmp3lame.so.0", "libmp3lame0"));
  Lame f;
  const bool all =
      library.find(f.init, "lame_init") && library.find(f.set_in_rate, "lame_set_in_samplerate") &&
      library.find(f.set_out_rate, "lame_set_out_samplerate") &&
      library.find(f.set_channels, "lame_set_num_channels") &&
      library.find(f.set_mode, "lame_set_mode") && library.find(f.set_bit_rate, "lame_set_brate") &&
      library.find(f.set_quality, "lame_set_quality") &&
      library.find(f.set_tag, "lame_set_bWriteVbrTag") &&
      library.find(f.set_errors, "lame_set_errorf") &&
      library.find(f.set_parameters, "lame_init_params") &&
      library.find(f.encode, "lame_encode_buffer") && library.find(f.flush, "lame_encode_flush") &&
      library.find(f.close, "lame_close");
  if (!all) return Error{Fault::Local, "libmp3lame.so.0 is of an unknown version."};
  return f;
}

struct CodecName {
  Codec codec;
  std::string_view name;
  std::string_view type;
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

/// One channel at a constant `bit_rate` (bits per second), or the nearest that MP3 supports for
/// that sample rate.
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
    f.set_mode(lame, k_mono);
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

std::optional<Codec> find_codec(std::string_view name) {
  const auto* found = std::ranges::find(k_codecs, name, &CodecName::name);
  if (found == k_codecs.end()) return std::nullopt;
  return found->codec;
}

std::string_view content_type(Codec codec) {
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

#ifdef SVC_WITH_SNDFILE
#include <sndfile.h>

#endif

namespace svc::emulator::stt {
namespace {

// Returns a format that the service reads but this emulator does not, by its first bytes.
std::string foreign_format(const std::string& head) {
  const auto has = [&](std::size_t at, sv bytes) {
    return head.compare(at, bytes.size(), bytes) == 0;
  };
  if (head.size() >= 12 && has(4, "ftyp")) return has(8, "M4A") ? "m4a" : "mp4";
  if (has(0, "\x1a\x45\xdf\xa3")) return "mkv";
  if (head.size() >= 2 && head[0] == '\xff' && (head[1] & '\xf6') == '\xf0') return "aac";
  return {};
}

Error container_error(const ByteSource& bytes) {
  const std::string foreign = foreign_format(bytes.text(0, 16));
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

#ifdef SVC_WITH_SNDFILE
// clang-format off
#define SVC_SNDFILE_FUNCTIONS(F) \
  F(open, sf_open_virtual) \
  F(read, sf_readf_float) \
  F(close, sf_close)
// clang-format on
SVC_LIBRARY(SndfileFunctions, SVC_SNDFILE_FUNCTIONS);

Result<SndfileFunctions> load_sndfile() {
  SVC_TRY(library, speech::open_library("libsndfile.so.1", "libsndfile1"));
  return SndfileFunctions::find_in(library);
}

/// An audio file that describes its own format.
class Container {
 public:
  /// Returns Usage, with the format in the message, if it cannot be read here; Local if the library
  /// is missing.
  static Result<std::unique_ptr<Container>> open(const ByteSource& bytes) {
    SVC_TRY(functions, load_sndfile());
    std::unique_ptr<Container> container(new Container(bytes, functions));
    SF_VIRTUAL_IO io{&length, &seek, &read_bytes, &write, &tell};
    container->m_file = functions.open(&io, SFM_READ, &container->m_info, container.get());
    if (container->m_file == nullptr) return container_error(bytes);
    constexpr int k_max_channels = 8;
    const SF_INFO& info = container->m_info;
    if (info.channels < 1 || info.channels > k_max_channels || info.samplerate < 1000 ||
        info.samplerate > 384'000) {
      return usage_error("Audio has 1 to 8 channels and 1 to 384 kHz.");
    }
    return container;
  }
  Container(const Container&) = delete;
  Container& operator=(const Container&) = delete;
  ~Container() {
    if (m_file != nullptr) m_functions.close(m_file);
  }

  [[nodiscard]] int rate() const { return m_info.samplerate; }
  [[nodiscard]] int channels() const { return m_info.channels; }

  /// Returns the number of interleaved samples, in whole frames; 0 at the end.
  std::size_t read(std::span<std::int16_t> into) {
    // As floats: files may have any sample format, and floats read as integers would be truncated
    // to zero.
    const auto channels = static_cast<std::size_t>(m_info.channels);
    m_block.resize(into.size() / channels * channels);
    const sf_count_t got = m_functions.read(m_file, m_block.data(),
                                            static_cast<sf_count_t>(m_block.size() / channels));
    if (got <= 0) return 0;
    const std::size_t count = static_cast<std::size_t>(got) * channels;
    for (std::size_t i = 0; i < count; ++i) {
      into[i] = speech::to_sample(static_cast<double>(m_block[i]) * 32768.0);
    }
    return count;
  }

 private:
  Container(ByteSource bytes, const SndfileFunctions& functions)
      : m_bytes(std::move(bytes)), m_functions(functions) {}

  static Container& of(void* data) { return *static_cast<Container*>(data); }
  static sf_count_t length(void* data) { return static_cast<sf_count_t>(of(data).m_bytes.size()); }
  static sf_count_t tell(void* data) { return of(data).m_at; }
  static sf_count_t seek(sf_count_t offset, int whence, void* data) {
    sf_count_t& at = of(data).m_at;
    const sf_count_t base = whence == SEEK_SET ? 0 : whence == SEEK_CUR ? at : length(data);
    return at = std::max<sf_count_t>(0, base + offset);
  }
  static sf_count_t read_bytes(void* into, sf_count_t count, void* data) {
    Container& one = of(data);
    const auto got = static_cast<sf_count_t>(
        one.m_bytes.read(static_cast<std::uint64_t>(one.m_at),
                         {static_cast<char*>(into), static_cast<std::size_t>(count)}));
    one.m_at += got;
    return got;
  }
  static sf_count_t write(const void*, sf_count_t, void*) { return 0; }

  ByteSource m_bytes;
  SndfileFunctions m_functions;
  sf_count_t m_at = 0;
  SNDFILE* m_file = nullptr;
  SF_INFO m_info{};
  std::vector<float> m_block{};
};
#endif

constexpr std::size_t k_block = 16'384;  // bytes, or frames

/// Passes samples to the sink, by channel; measures their duration.
class Reader {
 public:
  Reader(ChannelSplitter splitter, int rate, int channels, const AudioSink& sink)
      : m_splitter(std::move(splitter)),
        m_per_second(static_cast<double>(rate) * channels),
        m_sink(sink) {}

  bool feed(speech::SampleView interleaved) {
    m_samples += interleaved.size();
    return m_sink(m_splitter.feed(interleaved));
  }
  double finish() {
    (void)m_sink(m_splitter.finish());
    return static_cast<double>(m_samples) / m_per_second;
  }

 private:
  ChannelSplitter m_splitter;
  double m_per_second;
  const AudioSink& m_sink;
  std::uint64_t m_samples = 0;
};

Result<double> read_raw(const ByteSource& bytes, const InputFormat& format, const AudioSink& sink) {
  SVC_TRY(splitter, ChannelSplitter::make(format.rate, format.channels));
  Reader reader(std::move(splitter), format.rate, format.channels, sink);
  const std::size_t frame =
      audio::bytes_per_sample(*format.raw) * static_cast<std::size_t>(format.channels);
  std::string block(k_block / frame * frame, '\0');
  for (std::uint64_t at = 0; at < bytes.size(); at += block.size()) {
    std::size_t got = bytes.read(at, block);
    got -= got % frame;  // ignore half a frame at the end
    if (got == 0) break;
    if (!reader.feed(audio::decode(sv(block).substr(0, got), *format.raw))) break;
  }
  return reader.finish();
}

Result<double> read_container(const ByteSource& bytes, const AudioSink& sink) {
#ifdef SVC_WITH_SNDFILE
  SVC_TRY(container, Container::open(bytes));
  SVC_TRY(splitter, ChannelSplitter::make(container->rate(), container->channels()));
  Reader reader(std::move(splitter), container->rate(), container->channels(), sink);
  speech::Samples block(k_block * static_cast<std::size_t>(container->channels()));
  for (;;) {
    const std::size_t got = container->read(block);
    if (got == 0 || !reader.feed(speech::SampleView(block).first(got))) break;
  }
  return reader.finish();
#else
  (void)sink;
  if (!foreign_format(bytes.text(0, 16)).empty()) return container_error(bytes);
  return Error{Fault::Local, "This emulator was built without libsndfile: it reads raw audio only.",
               "Install the package libsndfile1-dev and build it again."};
#endif
}

}  // namespace

std::optional<audio::Encoding> raw_encoding(sv name) {
  if (name == "pcm") return audio::Encoding::Pcm;
  if (name == "mulaw") return audio::Encoding::MuLaw;
  return name == "alaw" ? std::optional(audio::Encoding::ALaw) : std::nullopt;
}

ByteSource ByteSource::of(std::shared_ptr<const std::string> text) {
  ByteSource source;
  source.m_size = text->size();
  source.m_text = std::move(text);
  return source;
}

ByteSource ByteSource::of(std::shared_ptr<const FileBackedBuffer> file) {
  ByteSource source;
  source.m_size = file->size();
  source.m_file = std::move(file);
  return source;
}

std::size_t ByteSource::read(std::uint64_t offset, std::span<char> into) const {
  if (offset >= m_size) return 0;
  const auto count =
      static_cast<std::size_t>(std::min<std::uint64_t>(into.size(), m_size - offset));
  if (m_file) {
    const auto bytes = m_file->read(m_begin + offset, count);
    return bytes ? bytes->copy(into.data(), count) : 0;
  }
  std::memcpy(into.data(), m_text->data() + m_begin + offset, count);
  return count;
}

std::string ByteSource::text(std::uint64_t offset, std::size_t size) const {
  std::string out(size, '\0');
  out.resize(read(offset, out));
  return out;
}

ByteSource ByteSource::part(std::uint64_t offset, std::uint64_t size) const {
  ByteSource out = *this;
  out.m_begin = m_begin + std::min(offset, m_size);
  out.m_size = std::min(size, m_size - std::min(offset, m_size));
  return out;
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

Result<double> decode_audio(const ByteSource& bytes, const InputFormat& format,
                            const AudioSink& sink) {
  if (format.raw) return read_raw(bytes, format, sink);
  return read_container(bytes, sink);
}

bool containers_are_built_in() {
#ifdef SVC_WITH_SNDFILE
  return true;
#else
  return false;
#endif
}

}  // namespace svc::emulator::stt
