#include "emulator/sound/sound_source.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "base/text.h"
#include "emulator/sound/container.h"
#include "emulator/sound/recognizer.h"

namespace svc::emulator::stt {
namespace {

constexpr std::size_t k_block = 16'384;  // bytes, or frames

/// Samples to the sink, by channel; counts how long they last.
class Reader {
 public:
  Reader(ChannelSplitter splitter, int rate, int channels, const SoundSink& sink)
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
  const SoundSink& m_sink;
  std::uint64_t m_samples = 0;
};

Result<double> read_raw(const ByteSource& bytes, const SoundFormat& format, const SoundSink& sink) {
  SVC_TRY(splitter, ChannelSplitter::make(format.rate, format.channels));
  Reader reader(std::move(splitter), format.rate, format.channels, sink);
  const std::size_t frame =
      audio::bytes_per_sample(*format.raw) * static_cast<std::size_t>(format.channels);
  std::string block(k_block / frame * frame, '\0');
  for (std::uint64_t at = 0; at < bytes.size(); at += block.size()) {
    std::size_t got = bytes.read(at, block);
    got -= got % frame;  // half a frame at the end is nothing
    if (got == 0) break;
    if (!reader.feed(audio::decode(sv(block).substr(0, got), *format.raw))) break;
  }
  return reader.finish();
}

Result<double> read_container(const ByteSource& bytes, const SoundSink& sink) {
  SVC_TRY(container, Container::open(bytes));
  SVC_TRY(splitter, ChannelSplitter::make(container->rate(), container->channels()));
  Reader reader(std::move(splitter), container->rate(), container->channels(), sink);
  speech::Samples block(k_block * static_cast<std::size_t>(container->channels()));
  for (;;) {
    const std::size_t got = container->read(block);
    if (got == 0 || !reader.feed(speech::SampleView(block).first(got))) break;
  }
  return reader.finish();
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

Result<double> read_sound(const ByteSource& bytes, const SoundFormat& format,
                          const SoundSink& sink) {
  if (format.raw) return read_raw(bytes, format, sink);
  return read_container(bytes, sink);
}

}  // namespace svc::emulator::stt
