#include "emulator/sound/sound_source.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "base/text.h"
#include "emulator/sound/container.h"
#include "emulator/sound/g711.h"
#include "emulator/sound/recognizer.h"
#include "emulator/sound/resample.h"

namespace svc::emulator::stt {
namespace {

constexpr std::size_t k_block = 16'384;  // bytes, or frames

/// Interleaved samples of any rate to the sink's.
class Splitter {
 public:
  Splitter(int rate, int channels, const SoundSink& sink) : m_rate(rate), m_sink(sink) {
    for (int i = 0; i < channels; ++i) m_resamplers.emplace_back(rate, speech::k_listen_rate);
  }

  bool feed(speech::SampleView interleaved) {
    const std::size_t channels = m_resamplers.size();
    m_frames += interleaved.size() / channels;
    SoundPiece piece;
    piece.channels = static_cast<int>(channels);
    for (std::size_t channel = 0; channel < channels; ++channel) {
      speech::Samples one;
      one.reserve(interleaved.size() / channels);
      for (std::size_t i = channel; i < interleaved.size(); i += channels) {
        one.push_back(interleaved[i]);
      }
      piece.samples.push_back(m_resamplers[channel].feed(one));
    }
    return m_sink(piece);
  }

  double finish() {
    SoundPiece piece;
    piece.channels = static_cast<int>(m_resamplers.size());
    for (auto& resampler : m_resamplers) piece.samples.push_back(resampler.finish());
    (void)m_sink(piece);
    return static_cast<double>(m_frames) / m_rate;
  }

 private:
  int m_rate;
  const SoundSink& m_sink;
  std::vector<speech::Resampler> m_resamplers{};
  std::uint64_t m_frames = 0;
};

double read_raw(const ByteSource& bytes, const SoundFormat& format, const SoundSink& sink) {
  Splitter splitter(format.rate, format.channels, sink);
  const std::size_t width = format.raw == RawFormat::Pcm ? 2 : 1;
  const std::size_t frame = width * static_cast<std::size_t>(format.channels);
  std::string block(k_block / frame * frame, '\0');
  std::string rest;
  for (std::uint64_t at = 0; at < bytes.size(); at += block.size()) {
    std::size_t got = bytes.read(at, block);
    got -= got % frame;  // half a frame at the end is nothing
    if (got == 0) break;
    if (!splitter.feed(decode_raw(format.raw, sv(block).substr(0, got), rest))) break;
  }
  return splitter.finish();
}

Result<double> read_container(const ByteSource& bytes, const SoundSink& sink) {
  SVC_TRY(container, Container::open(bytes));
  Splitter splitter(container->rate(), container->channels(), sink);
  speech::Samples block(k_block * static_cast<std::size_t>(container->channels()));
  for (;;) {
    const std::size_t got = container->read(block);
    if (got == 0 || !splitter.feed(speech::SampleView(block).first(got))) break;
  }
  return splitter.finish();
}

}  // namespace

ByteSource ByteSource::of(std::shared_ptr<const std::string> text) {
  ByteSource source;
  source.m_size = text->size();
  source.m_text = std::move(text);
  return source;
}

ByteSource ByteSource::of(std::shared_ptr<const BodyFile> file) {
  ByteSource source;
  source.m_size = file->size();
  source.m_file = std::move(file);
  return source;
}

std::size_t ByteSource::read(std::uint64_t offset, std::span<char> into) const {
  if (offset >= m_size) return 0;
  const auto count =
      static_cast<std::size_t>(std::min<std::uint64_t>(into.size(), m_size - offset));
  if (m_file) return m_file->read(m_begin + offset, into.first(count));
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

speech::Samples decode_raw(RawFormat format, sv bytes, std::string& rest) {
  speech::Samples out;
  if (format != RawFormat::Pcm) {
    out.reserve(bytes.size());
    for (const char c : bytes) {
      const auto code = static_cast<std::uint8_t>(c);
      out.push_back(format == RawFormat::Mulaw ? speech::from_mulaw(code)
                                               : speech::from_alaw(code));
    }
    return out;
  }
  std::string joined;
  if (!rest.empty()) {
    joined = std::exchange(rest, {});
    joined += bytes;
    bytes = joined;
  }
  if (bytes.size() % 2 != 0) {
    rest = bytes.back();
    bytes.remove_suffix(1);
  }
  out.reserve(bytes.size() / 2);
  for (std::size_t i = 0; i < bytes.size(); i += 2) {
    const auto low = static_cast<std::uint8_t>(bytes[i]);
    const auto high = static_cast<std::uint8_t>(bytes[i + 1]);
    out.push_back(static_cast<std::int16_t>(low | high << 8));
  }
  return out;
}

Result<double> read_sound(const ByteSource& bytes, const SoundFormat& format,
                          const SoundSink& sink) {
  if (format.raw != RawFormat::Container) return read_raw(bytes, format, sink);
  return read_container(bytes, sink);
}

}  // namespace svc::emulator::stt
