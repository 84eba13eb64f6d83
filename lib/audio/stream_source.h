// A source that is not a device: blocks cut from samples that somebody provides, in real time or
// at once.
#pragma once

#include <atomic>
#include <mutex>
#include <vector>

#include "audio/pace_timer.h"
#include "audio/source.h"

namespace svc::audio {

class StreamSource : public Source {
 public:
  StreamSource(const SourceOptions& options, Pace pace, PaceTimer timer);

  [[nodiscard]] Format format() const override { return m_format; }
  [[nodiscard]] Result<void> start() override;
  [[nodiscard]] int wait_fd() const override;
  [[nodiscard]] Result<std::optional<Block>> take() override;
  void stop() override;
  [[nodiscard]] bool ended() const override { return m_over && m_samples.empty(); }
  void set_muted(bool muted) override { m_muted = muted; }
  [[nodiscard]] bool muted() const override { return m_muted; }
  [[nodiscard]] Level level() const override;

 protected:
  /// Appends what can be had without waiting, at most a little more than `samples` samples; false
  /// at the end.
  [[nodiscard]] virtual Result<bool> feed(std::size_t samples, std::vector<Sample>& into) = 0;
  /// What to wait for when feed() gave too little.
  [[nodiscard]] virtual int feed_fd() const = 0;

 private:
  [[nodiscard]] Clock::time_point due(std::uint64_t frame) const;
  [[nodiscard]] Block cut(std::size_t samples);

  Format m_format;
  Pace m_pace;
  PaceTimer m_timer;
  std::size_t m_block;              ///< samples
  std::vector<Sample> m_samples{};  ///< fed and not cut yet
  std::uint64_t m_given = 0;        ///< frames
  Clock::time_point m_start{};
  bool m_started = false;
  bool m_over = false;     ///< nothing more is fed
  bool m_waiting = false;  ///< for the feed, not for the time
  std::atomic<bool> m_muted = false;
  std::atomic<double> m_peak = 0;
  std::atomic<double> m_rms = 0;
};

}  // namespace svc::audio
