#include "audio/microphone_speaker.h"

#include <algorithm>

#include "audio/format.h"
#include "audio/sound_library.h"
#include "base/text.h"

namespace svc::audio {
namespace {

// Allows for devices that report audio as heard slightly early.
constexpr Milliseconds k_tail{60};
constexpr std::size_t k_spare = 256;  // ring frames reserved for the end of a resampled stretch

constexpr Milliseconds k_capture_ring{5'000};  // frames are lost if they are not read for this long
constexpr Milliseconds k_device_check_interval{250};  // how often a silent device is checked

/// Fails if the device has disappeared, or made no callbacks for longer than `timeout`.
Result<void> check_device(const DeviceStream& stream, Watchdog& watchdog, std::uint64_t callbacks,
                          const std::string& kind, const char* failed, Milliseconds timeout) {
  const std::string name = "the " + kind + " " + shown_device(stream.device());
  if (stream.is_disconnected()) {
    return Error{Fault::Local, name + " has disappeared: unplugged, or its sound server exited",
                 "Connect it again, or choose another one: `svc sound devices` lists them."};
  }
  if (watchdog.alive(callbacks, Clock::now())) return {};
  return Error{Fault::Local, name + " " + failed + " no audio for " + format_duration(timeout),
               "It may be suspended, or in use elsewhere; `svc sound devices` lists the others."};
}

/// Opens the device that `wanted` selects with `open`, in another thread.
template <typename Opened>
Result<std::unique_ptr<Opened>> open_chosen(const std::string& wanted, Direction direction,
                                            const CancelToken* cancel, auto open) {
  using Result = svc::Result<std::unique_ptr<Opened>>;
  return open_with_timeout<std::unique_ptr<Opened>>(cancel, [wanted, direction, open]() -> Result {
    SVC_TRY(system, SoundSystem::open());
    SVC_TRY(device, choose_device(system->devices(), direction, wanted));
    SVC_TRY(opened, open(system, device));
    return std::unique_ptr<Opened>(std::move(opened));
  });
}

}  // namespace

Result<std::unique_ptr<Speaker>> Speaker::open(std::shared_ptr<const SoundSystem> system,
                                               const Device& device, const SinkOptions& options,
                                               Tap tap) {
  SVC_TRY(stream, DeviceStream::open(std::move(system), device, Direction::Output, options.format,
                                     options.latency));
  SVC_TRY(resampler,
          Resampler::create(options.format.channels, options.format.rate, stream->format().rate));
  std::unique_ptr<Speaker> speaker(
      new Speaker(std::move(stream), std::move(resampler), options, tap));
  SVC_CHECK(speaker->m_stream->start(*speaker->m_feed, options.cancel));
  return speaker;
}

Speaker::Speaker(std::unique_ptr<DeviceStream> stream, Resampler resampler,
                 const SinkOptions& options, Tap tap)
    : m_options(options),
      m_feed(std::make_shared<PlaybackFeed>(stream->format(), options.ring, options.prebuffer,
                                            tap == Tap::Yes)),
      m_stream(std::move(stream)),
      m_resampler(std::move(resampler)),
      m_watchdog(options.timeout) {
  m_watchdog.reset(Clock::now());
}

Speaker::~Speaker() = default;

/// Frames at the program's rate that fit into the ring.
std::size_t Speaker::room() const {
  const Format& device = m_stream->format();
  const auto channels = static_cast<std::size_t>(device.channels);
  const auto most = static_cast<std::size_t>(frames_in(device, m_options.ring));
  const std::size_t limit = std::min(most, m_feed->ring.capacity() / channels);
  const std::size_t used = m_feed->ring.size() / channels + k_spare;
  if (used >= limit) return 0;
  return (limit - used) * static_cast<std::size_t>(m_options.format.rate) /
         static_cast<std::size_t>(device.rate);
}

void Speaker::put() {
  m_ready.clear();
  convert_channels(m_resampled, m_options.format.channels, m_stream->format().channels, m_ready);
  m_put += m_ready.size() / static_cast<std::size_t>(m_stream->format().channels);
  m_feed->ring.write(m_ready);
  m_resampled.clear();
}

Result<std::size_t> Speaker::write(std::span<const Sample> samples) {
  SVC_CHECK(check());
  const auto channels = static_cast<std::size_t>(m_options.format.channels);
  const std::size_t frames = std::min(room(), samples.size() / channels);
  if (frames == 0) return std::size_t{0};
  const std::lock_guard lock(m_mutex);
  m_feed->finishing.store(false, std::memory_order_release);
  m_written += frames;
  m_resampler.process(samples.first(frames * channels), m_resampled);
  put();
  return frames * channels;
}

void Speaker::finish() {
  const std::lock_guard lock(m_mutex);
  m_resampler.flush(m_resampled);
  put();
  m_feed->finishing.store(true, std::memory_order_release);
}

std::uint64_t Speaker::heard(Clock::time_point when) const {
  const std::uint64_t frames = m_feed->heard(when);
  // Rates do not divide evenly: if everything was played, return the exact number.
  if (frames >= m_put) return m_written;
  const std::uint64_t own = frames * static_cast<std::uint64_t>(m_options.format.rate) /
                            static_cast<std::uint64_t>(m_stream->format().rate);
  return std::min(m_base + own, m_written);
}

std::uint64_t Speaker::position() const {
  const std::lock_guard lock(m_mutex);
  m_position = std::max(m_position, heard(Clock::now()));
  return m_position;
}

std::uint64_t Speaker::written() const {
  const std::lock_guard lock(m_mutex);
  return m_written;
}

bool Speaker::idle() const {
  const std::lock_guard lock(m_mutex);
  return heard(Clock::now() - k_tail) >= m_written;
}

std::uint64_t Speaker::abort() {
  const std::uint64_t where = position();
  if (!m_stream->abort() && m_status) {
    auto reopened = m_stream->reopen(m_options.cancel);
    if (reopened) {
      m_stream = std::move(*reopened);
    } else {
      m_status = std::move(reopened).error();
    }
  }
  m_resampler.reset();
  {
    const std::lock_guard lock(m_mutex);
    m_feed->restart(0);
    m_base = m_written = m_position = where;
    m_put = 0;
  }
  if (m_status) m_status = m_stream->start(*m_feed, m_options.cancel);
  m_watchdog.reset(Clock::now());
  return where;
}

Result<void> Speaker::check() {
  if (!m_status || m_closed) return m_status;
  m_status = check_device(*m_stream, m_watchdog, m_feed->times.count(), "speaker", "accepted",
                          m_options.timeout);
  return m_status;
}

Result<void> Speaker::close() {
  m_closed = true;
  (void)m_stream->abort();
  return m_status;
}

Result<std::unique_ptr<Sink>> open_speaker(const std::string& wanted, const SinkOptions& options) {
  return open_chosen<Sink>(wanted, Direction::Output, options.cancel,
                           [options](const auto& system, const Device& device) {
                             return Speaker::open(system, device, options, Tap::No);
                           });
}

Result<std::unique_ptr<Microphone>> Microphone::open(std::shared_ptr<const SoundSystem> system,
                                                     const Device& device,
                                                     const SourceOptions& options) {
  SVC_TRY(stream, DeviceStream::open(std::move(system), device, Direction::Input, options.format,
                                     options.latency));
  SVC_TRY(resampler,
          Resampler::create(options.format.channels, stream->format().rate, options.format.rate));
  SVC_TRY(timer, Timer::create());
  return std::unique_ptr<Microphone>(
      new Microphone(std::move(stream), std::move(resampler), std::move(timer), options));
}

Microphone::Microphone(std::unique_ptr<DeviceStream> stream, Resampler resampler, Timer timer,
                       const SourceOptions& options)
    : m_options(options),
      m_feed(std::make_unique<CaptureFeed>(stream->format(), k_capture_ring, std::move(timer))),
      m_stream(std::move(stream)),
      m_resampler(std::move(resampler)),
      m_watchdog(options.timeout),
      m_block(static_cast<std::size_t>(frames_in(options.format, options.block)) *
              static_cast<std::size_t>(options.format.channels)) {}

Microphone::~Microphone() = default;

Result<void> Microphone::start() {
  SVC_CHECK(m_stream->start(*m_feed, m_options.cancel));
  m_started = true;
  m_watchdog.reset(Clock::now());
  arm();
  return {};
}

void Microphone::drain_ring() {
  m_scratch.resize(m_feed->ring.size());
  m_feed->ring.read(m_scratch);
  m_mixed.clear();
  convert_channels(m_scratch, m_stream->format().channels, m_options.format.channels, m_mixed);
  m_resampler.process(m_mixed, m_samples);
}

Result<void> Microphone::check() {
  if (m_stopped) return {};
  return check_device(*m_stream, m_watchdog, m_feed->times.count(), "microphone", "delivered",
                      m_options.timeout);
}

Result<std::optional<Block>> Microphone::take() {
  if (!m_started || ended()) return std::optional<Block>{};
  if (!m_stopped) drain_ring();
  const std::size_t count = m_stopped ? std::min(m_block, m_samples.size()) : m_block;
  std::optional<Block> block;
  if (count > 0 && m_samples.size() >= count) {
    block = cut(count);
  } else {
    SVC_CHECK(check());
  }
  arm();
  return block;
}

Block Microphone::cut(std::size_t samples) {
  const auto channels = static_cast<std::size_t>(m_options.format.channels);
  const auto end = m_samples.begin() + static_cast<std::ptrdiff_t>(samples);
  Block block;
  block.first = m_given + lost();
  block.samples.assign(m_samples.begin(), end);
  m_samples.erase(m_samples.begin(), end);
  m_given += samples / channels;
  const auto device_rate = static_cast<std::uint64_t>(m_stream->format().rate);
  const auto own_rate = static_cast<std::uint64_t>(m_options.format.rate);
  const std::uint64_t last = (m_given + lost()) * device_rate / own_rate;
  block.ended = m_feed->times.time_of(last, m_stream->format().rate).value_or(Clock::now());
  block.arrived = m_feed->arrived();
  if (m_muted) std::ranges::fill(block.samples, Sample{0});
  return block;
}

void Microphone::arm() {
  if (m_stopped || m_samples.size() >= m_block) return m_feed->timer.fire();
  // Whole device frames, rounded up: a block one frame short would never be ready.
  const Format& device = m_stream->format();
  const auto own_rate = static_cast<std::size_t>(m_options.format.rate);
  const std::size_t missing =
      (m_block - m_samples.size()) / static_cast<std::size_t>(m_options.format.channels);
  const std::size_t frames =
      (missing * static_cast<std::size_t>(device.rate) + own_rate - 1) / own_rate;
  m_feed->wake(frames * static_cast<std::size_t>(device.channels),
               Clock::now() + k_device_check_interval);
}

void Microphone::stop() {
  if (!m_started || m_stopped) return;
  (void)m_stream->abort();
  drain_ring();
  m_resampler.flush(m_samples);
  m_stopped = true;
  m_feed->timer.fire();
}

std::uint64_t Microphone::lost() const {
  return m_feed->lost.load(std::memory_order_relaxed) *
         static_cast<std::uint64_t>(m_options.format.rate) /
         static_cast<std::uint64_t>(m_stream->format().rate);
}

Result<std::unique_ptr<Source>> open_microphone(const std::string& wanted,
                                                const SourceOptions& options) {
  return open_chosen<Source>(wanted, Direction::Input, options.cancel,
                             [options](const auto& system, const Device& device) {
                               return Microphone::open(system, device, options);
                             });
}

}  // namespace svc::audio
