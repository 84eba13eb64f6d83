#include "audio/microphone.h"

#include <algorithm>

#include "audio/abandon.h"
#include "audio/channels.h"
#include "base/text.h"

namespace svc::audio {
namespace {

constexpr Milliseconds k_capture_ring{5'000};  // how long nobody may take before frames are lost
constexpr Milliseconds k_glance{250};          // how often a silent device is looked at

}  // namespace

Result<std::unique_ptr<Microphone>> Microphone::open(std::shared_ptr<const SoundSystem> system,
                                                     const Device& device,
                                                     const SourceOptions& options) {
  SVC_TRY(stream, DeviceStream::open(std::move(system), device, Direction::Input, options.format));
  SVC_TRY(resampler,
          Resampler::create(options.format.channels, stream->format().rate, options.format.rate));
  SVC_TRY(timer, PaceTimer::create());
  return std::unique_ptr<Microphone>(
      new Microphone(std::move(stream), std::move(resampler), std::move(timer), options));
}

Microphone::Microphone(std::unique_ptr<DeviceStream> stream, Resampler resampler, PaceTimer timer,
                       const SourceOptions& options)
    : m_options(options),
      m_feed(std::make_unique<CaptureFeed>(stream->format(), k_capture_ring, std::move(timer))),
      m_stream(std::move(stream)),
      m_resampler(std::move(resampler)),
      m_watchdog(options.patience),
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
  change_channels(m_scratch, m_stream->format().channels, m_options.format.channels, m_mixed);
  m_resampler.process(m_mixed, m_samples);
}

Result<void> Microphone::check() {
  if (m_stopped) return {};
  const std::string name = shown_device(m_stream->device());
  if (m_stream->gone()) {
    return Error{Fault::Local,
                 "the microphone " + name +
                     " has gone: the device or its sound "
                     "server ended",
                 "Connect it again, or choose another one: `svc sound devices` shows them."};
  }
  if (m_watchdog.alive(m_feed->times.count(), Clock::now())) return {};
  return Error{
      Fault::Local,
      "the microphone " + name + " has given no sound for " + format_duration(m_options.patience),
      "It may be suspended, or in use elsewhere; `svc sound devices` shows the others."};
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
  // Whole frames of the device: rounded up, because a block that lacks a frame is never ready.
  const Format& device = m_stream->format();
  const auto own_rate = static_cast<std::size_t>(m_options.format.rate);
  const std::size_t missing =
      (m_block - m_samples.size()) / static_cast<std::size_t>(m_options.format.channels);
  const std::size_t frames =
      (missing * static_cast<std::size_t>(device.rate) + own_rate - 1) / own_rate;
  m_feed->wake(frames * static_cast<std::size_t>(device.channels), Clock::now() + k_glance);
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
  using Opened = std::unique_ptr<Source>;
  return open_in_time<Opened>(options.cancel, [wanted, options]() -> Result<Opened> {
    SVC_TRY(system, SoundSystem::open());
    const std::vector<Device> devices = system->devices();
    SVC_TRY(device, choose_device(devices, Direction::Input, wanted));
    SVC_TRY(microphone, Microphone::open(system, device, options));
    return Opened(std::move(microphone));
  });
}

}  // namespace svc::audio
