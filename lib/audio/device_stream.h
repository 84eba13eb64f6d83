// Streams of sound devices. Only device_stream.cpp uses PortAudio directly.
#pragma once

#include <memory>
#include <string>

#include "audio/device_feed.h"
#include "audio/devices.h"
#include "base/cancel_token.h"
#include "base/result.h"

namespace svc::audio {

/// This machine's sound system, loaded and initialised; shut down with its last owner. Calls must
/// not overlap, but may come from any thread. Calls that may never return run under the time limits
/// of sound_library.h.
class SoundSystem {
 public:
  /// Fails with Fault::Local, and a hint on what to install, if the library is missing.
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

/// One direction of a device. Its callback writes to a CaptureFeed or reads from a PlaybackFeed.
class DeviceStream {
 public:
  /// Opens `device` with the rate and channels of `wanted`, or else with the device's own; format()
  /// returns the result. Pass the feed to start(). Fails with Fault::Local if the device cannot be
  /// opened.
  [[nodiscard]] static Result<std::unique_ptr<DeviceStream>> open(
      std::shared_ptr<const SoundSystem> system, const Device& device, Direction direction,
      const Format& wanted, Milliseconds latency);
  DeviceStream(const DeviceStream&) = delete;
  DeviceStream& operator=(const DeviceStream&) = delete;
  ~DeviceStream();

  [[nodiscard]] const Format& format() const noexcept { return m_format; }
  [[nodiscard]] const Device& device() const noexcept { return m_device; }

  /// Starts the callbacks. The caller owns `feed`, which must outlive the stream.
  [[nodiscard]] Result<void> start(CaptureFeed& feed, const CancelToken* cancel);
  [[nodiscard]] Result<void> start(PlaybackFeed& feed, const CancelToken* cancel);

  /// Silences the device at once; no callback runs after it returns. Returns false if the sound
  /// system did not respond in time: the stream is then unusable and is leaked until the program
  /// exits.
  [[nodiscard]] bool abort();

  /// Reopens the same device in the same format, to replace an unusable stream.
  [[nodiscard]] Result<std::unique_ptr<DeviceStream>> reopen(const CancelToken* cancel) const;

  /// Whether the device has disappeared.
  [[nodiscard]] bool is_disconnected() const;

 private:
  struct Handle;
  DeviceStream(std::shared_ptr<const SoundSystem> system, Device device, Direction direction,
               Milliseconds latency);
  [[nodiscard]] int try_open(const Format& wanted);
  [[nodiscard]] Result<void> begin(const CancelToken* cancel);
  [[nodiscard]] Error error(const char* what, int code) const;

  std::shared_ptr<const SoundSystem> m_system;
  Device m_device;
  Direction m_direction;
  Milliseconds m_latency;
  Format m_format{};
  std::unique_ptr<Handle> m_handle;
  bool m_stuck = false;
};

}  // namespace svc::audio
