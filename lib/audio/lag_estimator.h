// Finds how much later than its playback an echo is captured.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "audio/fft.h"

namespace svc::audio {

/// Correlates both sides over two seconds, four times a second, by phase alone, so that neither the
/// loudness nor the room's color matters. One thread owns it.
class LagEstimator {
 public:
  /// Lags from 0 to `longest` seconds are found.
  LagEstimator(int rate, double longest);

  /// Adds a step of 10 ms. Returns true if estimates changed.
  bool add(std::span<const float> played, std::span<const float> captured);
  /// Adds what a canceller left of `captured`.
  void add_left(std::span<const float> left) { thin(m_left, left); }
  /// A lag in a moment.
  struct Match {
    double lag = 0;       ///< seconds
    double clarity = 0;   ///< as clarity()
    double likeness = 0;  ///< of playback `lag` earlier, from 0 to 1
  };
  /// The strongest echo in the last `seconds`, up to half of one: of what was captured, and of what
  /// was left of it.
  [[nodiscard]] Match match_captured(double seconds) { return match(m_captured, seconds); }
  [[nodiscard]] Match match_left(double seconds) { return match(m_left, seconds); }

  /// The lag of two estimates that agree, in seconds, now: delays of the estimate are made up for.
  [[nodiscard]] std::optional<double> lag() const noexcept { return m_lag; }
  /// By how much the lag grows: seconds each second, which is the difference of the two clocks.
  [[nodiscard]] double drift() const noexcept { return m_drift; }
  /// How clearly an echo stands out; below 5.5 there is none, above 8 there is one.
  [[nodiscard]] double clarity() const noexcept { return m_clarity; }
  /// Seconds of playback that were searched without finding an echo.
  [[nodiscard]] double vain() const noexcept { return m_vain; }

  /// Forgets what was estimated, but not the audio.
  void forget();

 private:
  static constexpr double k_interval = 0.25;  // seconds
  struct Point {
    double when;
    double lag;
  };
  /// Filters and thins out one side.
  struct Side {
    std::vector<float> rest{};
    std::vector<float> samples{};  // the newest last
  };
  void thin(Side& side, std::span<const float> step) const;
  bool estimate();
  /// Fills m_one with the cross-spectrum of playback and the newest part of `side`.
  void correlate(const Side& side, std::span<const float> window);
  struct Peak {
    double lag;      // seconds
    double clarity;  // ratio of the peak to the mean
  };
  /// The strongest lag in m_one, a cross-spectrum.
  Peak find_peak();
  Match match(const Side& side, double seconds);
  void accept(double lag);
  void follow_drift();

  std::size_t m_thinning;
  double m_rate;  // after thinning
  std::size_t m_longest;
  Fft m_fft;
  std::vector<float> m_filter{};  // against aliases
  std::vector<float> m_window{};
  Side m_played{};
  Side m_captured{};
  Side m_left{};
  std::vector<Bin> m_shared;    // cross-spectrum, averaged
  std::vector<Bin> m_spectrum;  // of what was played until m_transformed
  std::vector<Bin> m_one;
  std::vector<Bin> m_other;
  std::vector<float> m_work;
  double m_now = 0;
  double m_transformed = -1;
  double m_next = 0;
  std::optional<double> m_previous{};
  std::optional<double> m_lag{};
  std::deque<Point> m_track{};
  double m_drift = 0;
  double m_clarity = 0;
  double m_vain = 0;
};

}  // namespace svc::audio
