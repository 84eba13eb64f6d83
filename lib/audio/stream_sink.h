// A sink that is not a device: what is played goes to a file, a descriptor or nowhere, at once or
// in the time that it takes.
#pragma once

#include <mutex>
#include <vector>

#include "audio/sink.h"

namespace svc::audio {

class StreamSink : public Sink {
 public:
  StreamSink(const SinkOptions& options, Pace pace);

  [[nodiscard]] Format format() const override { return m_options.format; }
  [[nodiscard]] Result<std::size_t> write(std::span<const Sample> samples) override;
  void finish() override;
  std::uint64_t abort() override;
  void pause() override;
  void resume() override;
  [[nodiscard]] bool paused() const override;
  [[nodiscard]] std::uint64_t written() const override;
  [[nodiscard]] std::uint64_t position() const override;
  [[nodiscard]] Level level() const override;
  [[nodiscard]] Result<void> check() override;
  [[nodiscard]] Result<void> close() override;

 protected:
  /// Takes what was just played.
  [[nodiscard]] virtual Result<void> put(std::span<const Sample> samples) = 0;
  [[nodiscard]] virtual Result<void> end() { return {}; }

 private:
  /// What a device would have played by now; with the mutex held.
  void advance();
  void play(std::size_t samples);
  [[nodiscard]] std::size_t waiting() const { return m_queue.size() - m_head; }

  SinkOptions m_options;
  Pace m_pace;
  std::size_t m_channels;
  std::size_t m_prebuffer;  ///< samples
  std::size_t m_most;       ///< samples
  mutable std::mutex m_mutex{};
  std::vector<Sample> m_queue{};  ///< guarded, as all below; from m_head on
  std::size_t m_head = 0;
  std::uint64_t m_written = 0;  ///< frames
  std::uint64_t m_played = 0;   ///< frames
  bool m_paused = false;
  bool m_finishing = false;
  bool m_running = false;           ///< sound comes out
  Clock::time_point m_since{};      ///< since when
  std::uint64_t m_since_frame = 0;  ///< and from which frame on
  Level m_level{};
  Result<void> m_fault{};
};

}  // namespace svc::audio
