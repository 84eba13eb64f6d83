// Streams of sound devices. PortAudio is behind this, in device_stream.cpp and nowhere else.
#pragma once

#include <memory>
#include <string>

#include "audio/device_feed.h"
#include "audio/devices.h"
#include "base/cancel_token.h"
#include "base/result.h"

namespace svc::audio {

/// The sound system of this machine, loaded and started; ends with its last owner. Calls come one
/// after the other, from any thread. Those that may never return are made as sound_library.h says.
class SoundSystem {
 public:
  /// Local, with what to install, when the library is missing.
  [[nodiscard]] static Result<std::shared_ptr<const SoundSystem>> open();
  SoundSystem(const SoundSystem&) = delete;
  SoundSystem& operator=(const SoundSystem&) = delete;
  ~SoundSystem();

  [[nodiscard]] std::vector<Device> devices() const;

 private:
  friend class DeviceStream;
  struct Table;
  explicit SoundSystem(std::unique_ptr<const Table> table);
  std::unique_ptr<const Table> m_table;
};

/// One direction of a device, whose callback feeds a CaptureFeed or is fed by a PlaybackFeed.
class DeviceStream {
 public:
  /// Opens `device` with the rate and channels of `wanted`, else with its own: format() says which.
  /// The feed must be given before start(). Local when the device refuses.
  [[nodiscard]] static Result<std::unique_ptr<DeviceStream>> open(
      std::shared_ptr<const SoundSystem> system, const Device& device, Direction direction,
      const Format& wanted);
  DeviceStream(const DeviceStream&) = delete;
  DeviceStream& operator=(const DeviceStream&) = delete;
  ~DeviceStream();

  [[nodiscard]] const Format& format() const noexcept { return m_format; }
  [[nodiscard]] const Device& device() const noexcept { return m_device; }

  /// The callbacks begin. `feed` stays the caller's and outlives the stream.
  [[nodiscard]] Result<void> start(CaptureFeed& feed, const CancelToken* cancel);
  [[nodiscard]] Result<void> start(PlaybackFeed& feed, const CancelToken* cancel);

  /// Silent at once; the callbacks have ended when it returns. False when the sound system did not
  /// come back from it: then the stream is of no use any more, and is left to the end of the
  /// program.
  [[nodiscard]] bool abort();

  /// The same device once more, in the same format, in the place of one that is of no use.
  [[nodiscard]] Result<std::unique_ptr<DeviceStream>> again(const CancelToken* cancel) const;

  /// The device disappeared.
  [[nodiscard]] bool gone() const;

 private:
  struct Handle;
  DeviceStream(std::shared_ptr<const SoundSystem> system, Device device, Direction direction);
  [[nodiscard]] int try_open(const Format& wanted);
  [[nodiscard]] Result<void> begin(const CancelToken* cancel);
  [[nodiscard]] Error error(const char* what, int code) const;

  std::shared_ptr<const SoundSystem> m_system;
  Device m_device;
  Direction m_direction;
  Format m_format{};
  std::unique_ptr<Handle> m_handle;
  bool m_stuck = false;
};

/// Notices a stream whose callbacks cease while it counts as active.
class Watchdog {
 public:
  explicit Watchdog(Milliseconds patience) noexcept : m_patience(patience) {}

  /// Begins anew.
  void reset(Clock::time_point now) noexcept;

  /// Called now and then with the number of callbacks so far: false when there was none for longer
  /// than the patience, or three times that before the first one. A program that was stopped itself
  /// is forgiven: no look counts for more than a quarter of a second.
  [[nodiscard]] bool alive(std::uint64_t callbacks, Clock::time_point now) noexcept;

 private:
  Milliseconds m_patience;
  std::uint64_t m_seen = 0;
  Clock::time_point m_looked{};
  Clock::duration m_silence{0};
};

}  // namespace svc::audio
