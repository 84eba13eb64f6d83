// Audio input: a microphone, a file, or raw bytes from a descriptor. Sources have no thread:
// callers wait on the source's descriptor, alone or together with a socket.
//
//   auto source = open_input(input, {.format = {16'000, 1}, .block = Milliseconds(100)});
//   (*source)->start();
//   while (!(*source)->ended()) {
//     auto arrived = channel.receive(stop, std::nullopt, (*source)->wait_fd());
//     if (arrived->what != Arrival::Ready) …;
//     SVC_TRY(block, (*source)->take());
//     if (block) channel.send(encode(block->samples, Encoding::Pcm));
//   }
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "audio/format.h"
#include "base/cancel_token.h"
#include "base/result.h"

namespace svc::audio {

/// Consecutive frames. All blocks have the requested length, except possibly the last.
struct Block {
  std::vector<Sample> samples{};  ///< interleaved
  std::uint64_t first = 0;        ///< number of its first frame since start(), lost frames included
  Clock::time_point ended{};      ///< when its last frame was captured or due
  Clock::time_point arrived{};    ///< when the device delivered it, in chunks of the device's size
  std::vector<Sample> played{};   ///< Duplex only: what the speaker played meanwhile, same length
};

struct SourceOptions {
  Format format{};              ///< of the blocks; for files 0 keeps the file's rate or channels
  Milliseconds block{100};      ///< length of a block
  Milliseconds latency{80};     ///< of a device; see Latency
  Milliseconds timeout{2'000};  ///< a device that delivers no audio for this long has failed
  const CancelToken* cancel = nullptr;  ///< cancels the opening of a device
};

/// One thread owns a source. These may be called from any thread: set_muted(), muted(), level().
class Source {
 public:
  Source() = default;
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;
  virtual ~Source() = default;

  /// The format of the blocks that take() returns.
  [[nodiscard]] virtual Format format() const = 0;

  /// Starts: frame 0 is captured, or due, now. Fails with Fault::Local if the device does not
  /// start.
  [[nodiscard]] virtual Result<void> start() = 0;

  /// A descriptor that becomes readable when take() should be called, which may still return
  /// nothing. It may change with each take(), so get it before each wait. -1 before start().
  [[nodiscard]] virtual int wait_fd() const = 0;

  /// The next block, or nothing if it is not complete yet. Never blocks. Fails with Fault::Local if
  /// the device has disappeared or stopped delivering, or if reading failed, but only after all
  /// captured audio has been returned.
  [[nodiscard]] virtual Result<std::optional<Block>> take() = 0;

  /// Stops capturing. Captured audio can still be taken; the last block may be short.
  virtual void stop() = 0;

  /// Whether the last block was taken, after the end of a file or stop().
  [[nodiscard]] virtual bool ended() const = 0;

  /// While muted, blocks contain silence; time continues, and level() still reports the input.
  virtual void set_muted(bool muted) = 0;
  [[nodiscard]] virtual bool muted() const = 0;

  /// The level over the last tenth of a second.
  [[nodiscard]] virtual Level level() const = 0;

  /// Frames dropped because they were not taken in time.
  [[nodiscard]] virtual std::uint64_t lost() const { return 0; }
};

/// Waits for the next block; returns nothing at the end or once `until` has passed, and the token's
/// error once canceled.
[[nodiscard]] Result<std::optional<Block>> read_block(
    Source& source, const CancelToken& cancel,
    std::optional<Clock::time_point> until = std::nullopt);

/// Real: blocks become available at speaking speed. Fast: as soon as possible.
enum class Timing : std::uint8_t { RealTime, Immediate };

/// Opens an audio file in any format libsndfile supports (wav, flac, ogg, opus, mp3, aiff, au, …),
/// converted to the requested format. Fails with Fault::Usage if it is not audio.
[[nodiscard]] Result<std::unique_ptr<Source>> open_sound_file(const std::string& path,
                                                              const SourceOptions& options,
                                                              Timing timing);

/// Headerless audio in `options.format` from a descriptor (standard input), which the caller owns.
/// With Timing::RealTime a pipe faster than speech is slowed down.
[[nodiscard]] Result<std::unique_ptr<Source>> open_raw_source(int fd, Encoding encoding,
                                                              const SourceOptions& options,
                                                              Timing timing);

}  // namespace svc::audio
