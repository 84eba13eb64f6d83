// The table of the measurements: rows go to standard output, what stands behind them to
// standard error.
#pragma once

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

}  // namespace svc::bench
