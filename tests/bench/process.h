// Programs that are run to their end, and what they cost.
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

/// Runs it with nothing to read, its output thrown away; ends the benchmark when it fails.
[[nodiscard]] Cost run_once(const Words& words);

/// Runs it, and tells when each line of its output could be read.
[[nodiscard]] std::vector<std::chrono::steady_clock::time_point> line_times(const Words& words);

/// Two programs that do the same, in turn: ours, theirs, ours, …
struct Pairs {
  Cost ours{};  ///< medians; of the memory the most
  Cost theirs{};
  double wall = 0;  ///< the median of the pairs' ratios
  double cpu = 0;
  double later = 0;  ///< seconds: the median of what ours takes longer
};
[[nodiscard]] Pairs run_pairs(int runs, const Words& ours, const Words& theirs);

[[nodiscard]] double median(std::vector<double> values);

}  // namespace svc::bench
