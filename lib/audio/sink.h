// Audio output: a speaker, a WAV file, raw bytes to a descriptor, or nowhere. Frames are counted
// from the first one written, so that the part that was heard is found by subtraction.
//
//   auto sink = open_speaker("", {.format = {24'000, 1}});
//   while (… bytes arrive …) SVC_CHECK(write_all(**sink, samples, cancel));
//   SVC_CHECK(drain(**sink, cancel));
//
// In a conversation, `start = sink.written()` when an item starts; the part heard is
// time_of(format, clamp(sink.position() - start, 0, frames of the item)); on an interruption
// abort() returns the number of frames heard.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "audio/format.h"
#include "audio/source.h"
#include "base/atomic_file.h"
#include "base/cancel_token.h"
#include "base/result.h"

namespace svc::audio {

struct SinkOptions {
  Format format{};              ///< of the written audio
  Milliseconds latency{80};     ///< of a device; see Latency
  Milliseconds prebuffer{110};  ///< buffered before playback starts, and again after every underrun
  std::chrono::seconds ring{120};       ///< how much can be written ahead
  Milliseconds timeout{2'000};          ///< a device that accepts no audio for this long has failed
  const CancelToken* cancel = nullptr;  ///< cancels the opening of a device
};

/// One thread owns a sink and writes to it. These may be called from any thread: pause(), resume(),
/// paused(), level(), written(), position(), idle().
class Sink {
 public:
  Sink() = default;
  Sink(const Sink&) = delete;
  Sink& operator=(const Sink&) = delete;
  /// Silences the output at once and drops audio not yet played.
  virtual ~Sink() = default;

  [[nodiscard]] virtual Format format() const = 0;

  /// Writes as many whole frames of `samples` as fit and returns the number of samples written; 0
  /// if the ring is full. Never blocks, except that a descriptor's sink waits for its reader. Fails
  /// with Fault::Local if the device has disappeared or the disk is full, ReaderGone if a pipe has
  /// no reader.
  [[nodiscard]] virtual Result<std::size_t> write(std::span<const Sample> samples) = 0;

  /// Marks the end of the audio for now: plays the rest, however short. More may follow later.
  virtual void finish() = 0;

  /// Silences the output at once and drops audio not yet heard. Returns the number of frames heard,
  /// which written() and position() then return as well. Writing may resume.
  virtual std::uint64_t abort() = 0;

  /// Silence once the device's own buffer has been played, until resume(). Nothing is lost.
  virtual void pause() = 0;
  virtual void resume() = 0;
  [[nodiscard]] virtual bool paused() const = 0;

  /// Frames written and not dropped.
  [[nodiscard]] virtual std::uint64_t written() const = 0;

  /// Frames heard so far: never more than written, never decreasing.
  [[nodiscard]] virtual std::uint64_t position() const = 0;

  /// Whether everything written has been played or dropped.
  [[nodiscard]] virtual bool idle() const { return position() >= written(); }

  /// The level of the audio playing now.
  [[nodiscard]] virtual Level level() const = 0;

  /// Fails with Fault::Local if the device has disappeared or accepts no more audio. Cheap; for
  /// loops that do not write.
  [[nodiscard]] virtual Result<void> check() = 0;

  /// Closes the sink: a file gets its final sizes and name. Does not wait for playback; see
  /// drain().
  [[nodiscard]] virtual Result<void> close() = 0;
};

/// Writes all of `samples`, waiting for room. Returns the token's error once canceled.
[[nodiscard]] Result<void> write_all(Sink& sink, std::span<const Sample> samples,
                                     const CancelToken& cancel);

/// Calls finish() and waits until everything has been heard, even while paused.
[[nodiscard]] Result<void> drain(Sink& sink, const CancelToken& cancel);

/// A WAV file, moved to its path by close(); without close(), the audio written so far remains in
/// PATH.partial (see wav.h). With Timing::RealTime it contains only what would have been heard,
/// without audio dropped by an abort.
[[nodiscard]] Result<std::unique_ptr<Sink>> open_wav_sink(const std::string& path, Replace replace,
                                                          const SinkOptions& options,
                                                          Timing timing);

/// Headerless audio to a descriptor (standard output), which the caller owns.
[[nodiscard]] Result<std::unique_ptr<Sink>> open_raw_sink(int fd, Encoding encoding,
                                                          const SinkOptions& options,
                                                          Timing timing);

/// Discards the audio, at once or at playback speed.
[[nodiscard]] std::unique_ptr<Sink> open_null_sink(const SinkOptions& options, Timing timing);

}  // namespace svc::audio
