// Runs programs and measures the time and memory they use.
#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace svc::bench {

using Words = std::vector<std::string>;

struct Cost {
  double wall = 0;    ///< seconds
  double cpu = 0;     ///< seconds, user and system
  double memory = 0;  ///< MB, resident at its peak
};

/// Runs a program with empty input, discarding its output; exits the benchmark if it fails.
[[nodiscard]] Cost run_once(const Words& words);

/// Runs a program and returns when each line of its output could be read.
[[nodiscard]] std::vector<std::chrono::steady_clock::time_point> line_times(const Words& words);

/// The result of running two equivalent programs in turn: ours, theirs, ours, …
struct Pairs {
  Cost ours{};  ///< medians; for memory, the maximum
  Cost theirs{};
  double wall = 0;  ///< the median of the pairs' ratios
  double cpu = 0;
  double later = 0;  ///< seconds: the median of our wall time minus theirs
};
[[nodiscard]] Pairs run_pairs(int runs, const Words& ours, const Words& theirs);

[[nodiscard]] double median(std::vector<double> values);

}  // namespace svc::bench
