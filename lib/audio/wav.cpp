#include "audio/wav.h"

#include <algorithm>
#include <utility>

namespace svc::audio {
namespace {

void put(std::string& out, std::uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) out.push_back(static_cast<char>(value >> (8 * i) & 0xFFU));
}

constexpr Milliseconds k_jitter{
    60};  // tolerance within which a stretch is consecutive to the previous one
constexpr Milliseconds k_behind{10'000};  // lag after which a side counts as silent

}  // namespace

std::string wav_header(const Format& format, std::uint64_t data_bytes, int tag, int bits) {
  constexpr std::uint64_t k_before_data = 36;  // bytes from "WAVE" to the length of the data
  const auto rate = static_cast<std::uint64_t>(format.rate);
  const auto frame = static_cast<std::uint64_t>(format.channels * bits / 8);
  const std::uint64_t data = std::min<std::uint64_t>(data_bytes, 0xFFFF'FFFFU - k_before_data);
  std::string out = "RIFF";
  put(out, data + k_before_data, 4);
  out += "WAVEfmt ";
  put(out, 16, 4);  // length of the fields up to "data"
  put(out, static_cast<std::uint64_t>(tag), 2);
  put(out, static_cast<std::uint64_t>(format.channels), 2);
  put(out, rate, 4);
  put(out, rate * frame, 4);
  put(out, frame, 2);
  put(out, static_cast<std::uint64_t>(bits), 2);
  out += "data";
  put(out, data, 4);
  return out;
}

Result<WavWriter> WavWriter::create(const std::string& path, const Format& format,
                                    Replace replace) {
  SVC_TRY(file, AtomicFile::create(path, replace));
  SVC_CHECK(file.write(wav_header(format, file.is_direct() ? k_most_wav_bytes : 0)));
  return WavWriter(std::move(file), format);
}

WavWriter::WavWriter(WavWriter&& other) noexcept
    : m_file(std::move(other.m_file)),
      m_format(other.m_format),
      m_bytes(other.m_bytes),
      m_patched(other.m_patched),
      m_closed(std::exchange(other.m_closed, true)) {}

WavWriter::~WavWriter() {
  if (m_closed || m_bytes == 0) return;
  // Best effort: another error is already being reported.
  static_cast<void>(patch_header());
  static_cast<void>(m_file.save_partial());
}

Result<void> WavWriter::write(std::span<const Sample> samples) {
  const std::string bytes = encode(samples, Encoding::Pcm);
  SVC_CHECK(m_file.write(bytes));
  m_bytes += bytes.size();
  const auto second =
      static_cast<std::uint64_t>(m_format.rate) * static_cast<std::uint64_t>(m_format.channels) * 2;
  return m_bytes - m_patched < second ? Result<void>() : patch_header();
}

Result<void> WavWriter::patch_header() {
  if (m_file.is_direct() || m_patched == m_bytes) return {};
  SVC_CHECK(m_file.overwrite(0, wav_header(m_format, m_bytes)));
  m_patched = m_bytes;
  return {};
}

Result<void> WavWriter::close() {
  if (std::exchange(m_closed, true)) return {};
  SVC_CHECK(patch_header());
  return m_file.commit();
}

Result<StereoRecorder> StereoRecorder::create(const std::string& path, int rate, Replace replace) {
  SVC_TRY(writer, WavWriter::create(path, {rate, 2}, replace));
  return StereoRecorder(std::move(writer), rate);
}

void StereoRecorder::pad(Track& track, std::uint64_t end) {
  if (end <= track.end) return;
  track.waiting.resize(track.waiting.size() + static_cast<std::size_t>(end - track.end));
  track.end = end;
}

Result<void> StereoRecorder::write(Side side, std::span<const Sample> samples,
                                   Clock::time_point start_time) {
  if (!m_start) m_start = start_time;
  Track& track = m_tracks[side == Side::Left ? 0 : 1];
  Track& other = m_tracks[side == Side::Left ? 1 : 0];
  const auto since = std::chrono::duration_cast<std::chrono::microseconds>(start_time - *m_start);
  const std::uint64_t at = frames_in(m_format, since);
  if (at > track.end + frames_in(m_format, k_jitter) || track.end == 0) pad(track, at);
  track.waiting.insert(track.waiting.end(), samples.begin(), samples.end());
  track.end += samples.size();
  const std::uint64_t late_samples = frames_in(m_format, k_behind);
  if (track.end > other.end + late_samples) pad(other, track.end - late_samples);
  return flush();
}

Result<void> StereoRecorder::flush() {
  const std::size_t count = std::min(m_tracks[0].waiting.size(), m_tracks[1].waiting.size());
  if (count == 0) return {};
  std::vector<Sample> frames;
  frames.reserve(count * 2);
  for (std::size_t i = 0; i < count; ++i) {
    frames.push_back(m_tracks[0].waiting[i]);
    frames.push_back(m_tracks[1].waiting[i]);
  }
  for (Track& track : m_tracks) {
    track.waiting.erase(track.waiting.begin(),
                        track.waiting.begin() + static_cast<std::ptrdiff_t>(count));
  }
  return m_writer.write(frames);
}

Result<void> StereoRecorder::close() {
  const std::uint64_t end = std::max(m_tracks[0].end, m_tracks[1].end);
  for (Track& track : m_tracks) pad(track, end);
  SVC_CHECK(flush());
  return m_writer.close();
}

}  // namespace svc::audio
