// Where sound comes from: a microphone, a file, or raw bytes from a descriptor. No source has a
// thread: whoever waits for sound waits on its descriptor, beside a socket or alone.
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

/// Frames that belong together. All blocks have the length asked for, but for the last.
struct Block {
  std::vector<Sample> samples{};  ///< interleaved
  std::uint64_t first = 0;        ///< its first frame, counted since start(), lost ones too
  Clock::time_point ended{};      ///< when its last frame was captured, or due
  Clock::time_point arrived{};    ///< when a device handed that over, in the pieces that it has
  std::vector<Sample> played{};   ///< of a Duplex: what the speaker played meanwhile, as long
};

struct SourceOptions {
  Format format{};          ///< of the blocks; for files 0 keeps the file's own rate or channels
  Milliseconds block{100};  ///< the length of a block
  Milliseconds patience{2'000};  ///< a device that gives nothing for so long is taken for dead
  const CancelToken* cancel = nullptr;  ///< ends the opening of a device at once
};

/// One thread owns a source. From any thread: set_muted(), muted(), level().
class Source {
 public:
  Source() = default;
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;
  virtual ~Source() = default;

  /// The format of the blocks that take() returns.
  [[nodiscard]] virtual Format format() const = 0;

  /// Begins: frame 0 is captured, or due, now. Local when the device does not start.
  [[nodiscard]] virtual Result<void> start() = 0;

  /// A descriptor that can be read when take() should be called, which may then have nothing yet.
  /// Another one may be right after each take(): ask before each wait. -1 before start().
  [[nodiscard]] virtual int wait_fd() const = 0;

  /// The next block, or nothing when it is not whole yet. Never waits. Local when the device has
  /// gone, stopped giving frames, or when reading failed; what was captured before is given first.
  [[nodiscard]] virtual Result<std::optional<Block>> take() = 0;

  /// Captures nothing more. What was captured can still be taken, the last block short.
  virtual void stop() = 0;

  /// After the last block was taken: a file's end, or stop().
  [[nodiscard]] virtual bool ended() const = 0;

  /// While muted, blocks hold silence; time goes on, and level() still shows what is heard.
  virtual void set_muted(bool muted) = 0;
  [[nodiscard]] virtual bool muted() const = 0;

  /// The level over the last tenth of a second.
  [[nodiscard]] virtual Level level() const = 0;

  /// Frames that were dropped because nobody took them in time.
  [[nodiscard]] virtual std::uint64_t lost() const { return 0; }
};

/// Waits for the next block; nothing at the end, or when `until` has passed. The stop's fault once
/// it asks.
[[nodiscard]] Result<std::optional<Block>> read_block(
    Source& source, const CancelToken& cancel,
    std::optional<Clock::time_point> until = std::nullopt);

/// Real: a block is there when it would have been spoken. Fast: as soon as it can be had.
enum class Pace : std::uint8_t { Real, Fast };

/// The microphone of that index or part of a name (devices.h); empty: the default one. Local, with
/// what to install or to choose, when there is none.
[[nodiscard]] Result<std::unique_ptr<Source>> open_microphone(const std::string& wanted,
                                                              const SourceOptions& options);

/// A sound file of any kind that libsndfile reads (wav, flac, ogg, opus, mp3, aiff, au, …), brought
/// to the format asked for. Usage when it cannot be read as sound.
[[nodiscard]] Result<std::unique_ptr<Source>> open_sound_file(const std::string& path,
                                                              const SourceOptions& options,
                                                              Pace pace);

/// Headerless bytes from a descriptor (standard input), which stays the caller's; they are of
/// `options.format`. With Pace::Real a pipe that is faster than speech is slowed down.
[[nodiscard]] Result<std::unique_ptr<Source>> open_raw_source(int fd, Encoding encoding,
                                                              const SourceOptions& options,
                                                              Pace pace);

}  // namespace svc::audio
