#include "audio/playback_reference.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "audio/format.h"

namespace svc::audio {
namespace {

constexpr std::int64_t k_history_ms = 3'000;
constexpr std::int64_t k_jitter_ms = 30;  // tolerated timestamp error
constexpr double k_follow = 0.03;         // of a read: seconds, to tell drift from jitter

}  // namespace

Result<PlaybackReference> PlaybackReference::create(std::shared_ptr<PlaybackFeed> feed,
                                                    const Format& format, int rate) {
  SVC_TRY(resampler, Resampler::create(1, format.rate, rate));
  return PlaybackReference(std::move(feed), format, rate, std::move(resampler));
}

PlaybackReference::PlaybackReference(std::shared_ptr<PlaybackFeed> feed, const Format& format,
                                     int rate, Resampler resampler)
    : m_feed(std::move(feed)), m_format(format), m_rate(rate), m_resampler(std::move(resampler)) {}

void PlaybackReference::update() {
  m_scratch.resize(m_feed->tap.size());
  m_feed->tap.read(m_scratch);
  m_mono.clear();
  convert_channels(m_scratch, m_format.channels, 1, m_mono);
  m_resampler.process(m_mono, m_history);
  const std::int64_t most = k_history_ms * m_rate / 1000;
  const std::int64_t extra = static_cast<std::int64_t>(m_history.size()) - most;
  if (extra <= 0) return;
  m_history.erase(m_history.begin(), m_history.begin() + extra);
  m_first += extra;
}

std::optional<std::int64_t> PlaybackReference::frame_at(Clock::time_point when) const {
  const auto block = m_feed->times.at(when);
  if (!block || block->when > when) return std::nullopt;
  const auto into =
      std::chrono::duration_cast<std::chrono::microseconds>(when - block->when).count();
  // Nothing is known after the last block yet; a stopped device plays nothing.
  if (into > 1'000'000) return std::nullopt;
  return static_cast<std::int64_t>(block->frame) * m_rate / m_format.rate +
         into * m_rate / 1'000'000;
}

std::int64_t PlaybackReference::read(Clock::time_point when, std::span<Sample> samples,
                                     Cursor& cursor) {
  const auto wanted = frame_at(when);
  if (!wanted) {
    cursor.next.reset();
    std::ranges::fill(samples, Sample{0});
    return 0;
  }
  const auto limit = static_cast<double>(k_jitter_ms * m_rate) / 1000;
  // A restarted device continues at the times it reports.
  const double behind = cursor.next ? static_cast<double>(*wanted - *cursor.next) : 0;
  std::int64_t moved = 0;
  if (!cursor.next || (cursor.silent > m_rate && std::abs(cursor.behind) > limit / 2)) {
    moved = std::lround(cursor.behind);  // drift: the echo stays where it is
    cursor = {wanted};
  } else if (std::abs(behind - cursor.behind) > limit) {
    cursor = {wanted};  // the device lost or repeated audio
  } else {
    cursor.behind += k_follow * (behind - cursor.behind);
  }
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const std::int64_t at = *cursor.next + static_cast<std::int64_t>(i) - m_first;
    const bool known = at >= 0 && at < static_cast<std::int64_t>(m_history.size());
    samples[i] = known ? m_history[static_cast<std::size_t>(at)] : Sample{0};
  }
  *cursor.next += static_cast<std::int64_t>(samples.size());
  const bool silent = std::ranges::all_of(samples, [](Sample one) { return one == 0; });
  cursor.silent = silent ? cursor.silent + static_cast<std::int64_t>(samples.size()) : 0;
  return moved;
}

bool PlaybackReference::plays(Clock::time_point when) const {
  const auto block = m_feed->times.at(when);
  return block && block->real > 0 && block->when <= when &&
         when < block->when + time_of(m_format, block->count);
}

}  // namespace svc::audio
