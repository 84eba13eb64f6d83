// Sound devices as a Source and a Sink.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "audio/device_stream.h"
#include "audio/resampler.h"
#include "audio/sink.h"
#include "audio/source.h"
#include "base/wake.h"

namespace svc::audio {

/// Whether played audio is also recorded for an echo canceller.
enum class Tap : std::uint8_t { No, Yes };

/// A device as a sink. The writer fills a ring and the device's callback plays from it. An empty
/// ring plays silence, so that audio is heard to its last sample.
class Speaker final : public Sink {
 public:
  /// Starts by playing silence, because starting is the slowest step for a device.
  [[nodiscard]] static Result<std::unique_ptr<Speaker>> open(
      std::shared_ptr<const SoundSystem> system, const Device& device, const SinkOptions& options,
      Tap tap);
  ~Speaker() override;

  [[nodiscard]] Format format() const override { return m_options.format; }
  [[nodiscard]] Result<std::size_t> write(std::span<const Sample> samples) override;
  void finish() override;
  std::uint64_t abort() override;
  void pause() override { m_feed->paused.store(true, std::memory_order_release); }
  void resume() override { m_feed->paused.store(false, std::memory_order_release); }
  [[nodiscard]] bool paused() const override { return m_feed->paused; }
  [[nodiscard]] std::uint64_t written() const override;
  [[nodiscard]] std::uint64_t position() const override;
  [[nodiscard]] bool idle() const override;
  [[nodiscard]] Level level() const override { return m_feed->level.get(); }
  [[nodiscard]] Result<void> check() override;
  [[nodiscard]] Result<void> close() override;

  /// The feed of the device's callback, and the device's format: for an echo canceller.
  [[nodiscard]] std::shared_ptr<PlaybackFeed> feed() const noexcept { return m_feed; }
  [[nodiscard]] const Format& device_format() const noexcept { return m_stream->format(); }

 private:
  Speaker(std::unique_ptr<DeviceStream> stream, Resampler resampler, const SinkOptions& options,
          Tap tap);
  [[nodiscard]] std::size_t room() const;
  [[nodiscard]] std::uint64_t heard(Clock::time_point when) const;
  void put();

  SinkOptions m_options;
  std::shared_ptr<PlaybackFeed> m_feed;
  std::unique_ptr<DeviceStream> m_stream;  // declared after the feed, so destroyed before it
  Resampler m_resampler;
  Watchdog m_watchdog;
  std::vector<Sample> m_resampled{};
  std::vector<Sample> m_ready{};  // in the device's format
  Result<void> m_status{};
  bool m_closed = false;
  mutable std::mutex m_mutex{};
  std::uint64_t m_base = 0;              ///< guarded: frames heard before the last abort
  std::uint64_t m_written = 0;           ///< guarded
  std::uint64_t m_put = 0;               ///< guarded: device frames since the last abort
  mutable std::uint64_t m_position = 0;  ///< guarded: never decreases
};

/// A device as a source. The callback fills a ring and wakes the waiting thread when the next block
/// is complete; take() empties the ring.
class Microphone final : public Source {
 public:
  [[nodiscard]] static Result<std::unique_ptr<Microphone>> open(
      std::shared_ptr<const SoundSystem> system, const Device& device,
      const SourceOptions& options);
  ~Microphone() override;

  [[nodiscard]] Format format() const override { return m_options.format; }
  [[nodiscard]] Result<void> start() override;
  [[nodiscard]] int wait_fd() const override { return m_started ? m_feed->timer.descriptor() : -1; }
  [[nodiscard]] Result<std::optional<Block>> take() override;
  void stop() override;
  [[nodiscard]] bool ended() const override { return m_stopped && m_samples.empty(); }
  void set_muted(bool muted) override { m_muted = muted; }
  [[nodiscard]] bool muted() const override { return m_muted; }
  [[nodiscard]] Level level() const override { return m_feed->level.get(); }
  [[nodiscard]] std::uint64_t lost() const override;

  /// When the device's newest frames arrived.
  [[nodiscard]] Clock::time_point arrived() const noexcept { return m_feed->arrived(); }

 private:
  Microphone(std::unique_ptr<DeviceStream> stream, Resampler resampler, Timer timer,
             const SourceOptions& options);
  void drain_ring();
  [[nodiscard]] Result<void> check();
  [[nodiscard]] Block cut(std::size_t samples);
  void arm();

  SourceOptions m_options;
  std::unique_ptr<CaptureFeed> m_feed;
  std::unique_ptr<DeviceStream> m_stream;  // declared after the feed, so destroyed before it
  Resampler m_resampler;
  Watchdog m_watchdog;
  std::size_t m_block;              // in samples
  std::vector<Sample> m_scratch{};  // in the device's format
  std::vector<Sample> m_mixed{};
  std::vector<Sample> m_samples{};  // in the source's format, not yet returned
  std::uint64_t m_given = 0;        // in frames
  bool m_started = false;
  bool m_stopped = false;
  std::atomic<bool> m_muted = false;
};

/// Opens the speaker selected by index or part of its name (see choose_device()); the default one
/// if empty. Fails with Fault::Local, and a hint, if there is none.
[[nodiscard]] Result<std::unique_ptr<Sink>> open_speaker(const std::string& wanted,
                                                         const SinkOptions& options);

/// Opens the microphone selected by index or part of its name (see choose_device()); the default
/// one if empty. Fails with Fault::Local, and a hint, if there is none.
[[nodiscard]] Result<std::unique_ptr<Source>> open_microphone(const std::string& wanted,
                                                              const SourceOptions& options);

}  // namespace svc::audio
