// The table of measurements: rows go to standard output, details to standard error.
#pragma once

#include <cstdlib>
#include <string>
#include <string_view>

#include <fmt/format.h>

namespace svc::bench {

/// Prints one row: the measurement, its target, the result and whether it met the target.
inline void print_row(std::string_view what, std::string_view target, const std::string& measured,
                      bool met) {
  fmt::print("{:<34} {:<24} {:<44} {}\n", what, target, measured, met ? "met" : "MISSED");
  std::fflush(stdout);
}

/// The svc to measure: SVC_BENCH_PROGRAM if set, to compare another build, otherwise `built`.
inline std::string measured_program(const char* built) {
  const char* other = std::getenv("SVC_BENCH_PROGRAM");
  return other != nullptr && *other != '\0' ? other : built;
}

}  // namespace svc::bench
