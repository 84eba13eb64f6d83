// The table of the measurements: rows go to standard output, what stands behind them to
// standard error.
#pragma once

#include <cstdlib>
#include <string>
#include <string_view>

#include <fmt/format.h>

namespace svc::bench {

/// One line: what is measured, what the target is, what came of it.
inline void print_row(std::string_view what, std::string_view target, const std::string& measured,
                      bool met) {
  fmt::print("{:<34} {:<24} {:<44} {}\n", what, target, measured, met ? "met" : "MISSED");
  std::fflush(stdout);
}

/// The svc that is measured: `built`, or that of another build which SVC_BENCH_PROGRAM names, so
/// that two can be compared.
inline std::string measured_program(const char* built) {
  const char* other = std::getenv("SVC_BENCH_PROGRAM");
  return other != nullptr && *other != '\0' ? other : built;
}

}  // namespace svc::bench
