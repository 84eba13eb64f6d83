#include "audio/recorder.h"

#include <algorithm>

namespace svc::audio {
namespace {

constexpr Milliseconds k_jitter{60};      // within which a stretch follows the one before
constexpr Milliseconds k_behind{10'000};  // after which a side counts as silent

}  // namespace

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
                                   Clock::time_point begins) {
  if (!m_start) m_start = begins;
  Track& track = m_tracks[side == Side::Left ? 0 : 1];
  Track& other = m_tracks[side == Side::Left ? 1 : 0];
  const auto since = std::chrono::duration_cast<std::chrono::microseconds>(begins - *m_start);
  const std::uint64_t at = frames_in(m_format, since);
  if (at > track.end + frames_in(m_format, k_jitter) || track.end == 0) pad(track, at);
  track.waiting.insert(track.waiting.end(), samples.begin(), samples.end());
  track.end += samples.size();
  const std::uint64_t behind = frames_in(m_format, k_behind);
  if (track.end > other.end + behind) pad(other, track.end - behind);
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
