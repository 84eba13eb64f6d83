// Where sound goes: a speaker, a WAV file, raw bytes to a descriptor, or nowhere. Frames are
// counted from the first one written, so that "how much of this was heard" is a subtraction.
//
//   auto sink = open_speaker("", {.format = {24'000, 1}});
//   while (… bytes arrive …) SVC_CHECK(write_all(**sink, samples, stop));
//   SVC_CHECK(drain(**sink, stop));
//
// A conversation: `start = sink.written()` when an item begins; heard of it are
// time_of(format, clamp(sink.position() - start, 0, frames of the item)); on an interruption
// abort() says where it fell silent.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "audio/format.h"
#include "audio/source.h"
#include "base/cancel_token.h"
#include "base/files.h"
#include "base/result.h"

namespace svc::audio {

struct SinkOptions {
  Format format{};                 ///< of what is written
  Milliseconds prebuffer{110};     ///< gathered before sound begins, again after every interruption
  std::chrono::seconds ring{120};  ///< how much can be written ahead
  Milliseconds patience{2'000};    ///< a device that takes nothing for so long is taken for dead
  const CancelToken* cancel = nullptr;  ///< ends the opening of a device at once
};

/// One thread owns a sink and writes. From any thread: pause(), resume(), paused(), level(),
/// written(), position(), idle().
class Sink {
 public:
  Sink() = default;
  Sink(const Sink&) = delete;
  Sink& operator=(const Sink&) = delete;
  /// Silent at once; what was not played is lost.
  virtual ~Sink() = default;

  [[nodiscard]] virtual Format format() const = 0;

  /// Takes as many whole frames of `samples` as there is room for, and gives the number of samples
  /// taken; 0 when the ring is full. Never waits (a descriptor's sink does, for its reader). Local
  /// when the device has gone or the disk is full, ReaderGone for a pipe without reader.
  [[nodiscard]] virtual Result<std::size_t> write(std::span<const Sample> samples) = 0;

  /// Nothing more comes for now: plays what is there, however short. More may follow later.
  virtual void finish() = 0;

  /// Silent at once: what was written and not heard is dropped. Gives the frames heard; written()
  /// and position() are that number then, and writing may go on.
  virtual std::uint64_t abort() = 0;

  /// Silence, as soon as the device's own buffer is out, and on from there. Nothing is lost.
  virtual void pause() = 0;
  virtual void resume() = 0;
  [[nodiscard]] virtual bool paused() const = 0;

  /// Frames written and not dropped.
  [[nodiscard]] virtual std::uint64_t written() const = 0;

  /// Frames that came out of the speaker: never more than was written, never less than before.
  [[nodiscard]] virtual std::uint64_t position() const = 0;

  /// All that was written came out, or was dropped.
  [[nodiscard]] virtual bool idle() const { return position() >= written(); }

  /// Of what comes out now.
  [[nodiscard]] virtual Level level() const = 0;

  /// Is the device still there? Local when it has gone or takes nothing any more. Cheap; called
  /// now and then by loops that do not write.
  [[nodiscard]] virtual Result<void> check() = 0;

  /// Ends it: a file gets its sizes and its name. Does not wait for a speaker; see drain().
  [[nodiscard]] virtual Result<void> close() = 0;
};

/// Writes all of `samples`, waiting for room. The stop's fault once it asks.
[[nodiscard]] Result<void> write_all(Sink& sink, std::span<const Sample> samples,
                                     const CancelToken& cancel);

/// finish(), and waits until everything was heard, to the last sample. Waits on while paused.
[[nodiscard]] Result<void> drain(Sink& sink, const CancelToken& cancel);

/// The speaker of that index or part of a name (devices.h); empty: the default one. Local, with
/// what to install or to choose, when there is none.
[[nodiscard]] Result<std::unique_ptr<Sink>> open_speaker(const std::string& wanted,
                                                         const SinkOptions& options);

/// A WAV file, whole at its path after close(); without one what was written stays beside it as
/// PATH.partial (wav.h). With Pace::Real it is written as it would be heard: what an abort drops is
/// not in it.
[[nodiscard]] Result<std::unique_ptr<Sink>> open_wav_sink(const std::string& path, Replace replace,
                                                          const SinkOptions& options, Pace pace);

/// Headerless bytes to a descriptor (standard output), which stays the caller's.
[[nodiscard]] Result<std::unique_ptr<Sink>> open_raw_sink(int fd, Encoding encoding,
                                                          const SinkOptions& options, Pace pace);

/// Plays to nobody: at once, or in the time that it would take.
[[nodiscard]] std::unique_ptr<Sink> open_null_sink(const SinkOptions& options, Pace pace);

}  // namespace svc::audio
