// The only file of the emulator that uses libsndfile directly.
#include "emulator/sound/audio_source.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "base/text.h"
#include "emulator/sound/recognizer.h"

#ifdef SVC_WITH_SNDFILE
#include <sndfile.h>

#include "emulator/sound/shared_library.h"
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
  return ChannelSplitter(std::move(resampler), channels);
}

std::vector<speech::Samples> ChannelSplitter::split(const speech::Samples& interleaved) const {
  std::vector<speech::Samples> channels(m_channels);
  for (std::size_t i = 0; i < interleaved.size(); ++i) {
    channels[i % m_channels].push_back(interleaved[i]);
  }
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
