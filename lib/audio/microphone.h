// A device as a source. The callback fills a ring, and wakes whoever waits when the next block is
// whole; take() empties it.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <vector>

#include "audio/device_stream.h"
#include "audio/pace_timer.h"
#include "audio/resampler.h"
#include "audio/source.h"

namespace svc::audio {

class Microphone final : public Source {
 public:
  [[nodiscard]] static Result<std::unique_ptr<Microphone>> open(
      std::shared_ptr<const SoundSystem> system, const Device& device,
      const SourceOptions& options);
  ~Microphone() override;

  [[nodiscard]] Format format() const override { return m_options.format; }
  [[nodiscard]] Result<void> start() override;
  [[nodiscard]] int wait_fd() const override { return m_started ? m_feed->timer.fd() : -1; }
  [[nodiscard]] Result<std::optional<Block>> take() override;
  void stop() override;
  [[nodiscard]] bool ended() const override { return m_stopped && m_samples.empty(); }
  void set_muted(bool muted) override { m_muted = muted; }
  [[nodiscard]] bool muted() const override { return m_muted; }
  [[nodiscard]] Level level() const override { return m_feed->level.get(); }
  [[nodiscard]] std::uint64_t lost() const override;

  /// When the device's newest frames came.
  [[nodiscard]] Clock::time_point arrived() const noexcept { return m_feed->arrived(); }

 private:
  Microphone(std::unique_ptr<DeviceStream> stream, Resampler resampler, PaceTimer timer,
             const SourceOptions& options);
  void drain_ring();
  [[nodiscard]] Result<void> check();
  [[nodiscard]] Block cut(std::size_t samples);
  void arm();

  SourceOptions m_options;
  std::unique_ptr<CaptureFeed> m_feed;
  std::unique_ptr<DeviceStream> m_stream;  // after the feed: it goes first
  Resampler m_resampler;
  Watchdog m_watchdog;
  std::size_t m_block;              // samples
  std::vector<Sample> m_scratch{};  // of the device
  std::vector<Sample> m_mixed{};
  std::vector<Sample> m_samples{};  // in our format, not given yet
  std::uint64_t m_given = 0;        // frames
  bool m_started = false;
  bool m_stopped = false;
  std::atomic<bool> m_muted = false;
};

}  // namespace svc::audio
