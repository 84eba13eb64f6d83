// Bar charts for a terminal, with the exact number next to each bar.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "base/result.h"
#include "print/streams.h"

namespace svc::print {

struct Bar {
  std::string label{};  ///< may contain untrusted text
  std::int64_t size = 0;
  std::string value{};  ///< printed next to the bar: "$12.50"
};

/// Prints one line per bar: label, bar, value. The longest bar fills what labels and values leave
/// of the terminal's width (80 columns if not a terminal), at least four columns; a nonzero bar
/// shows at least its smallest block. Negative bars use a lighter block. Bars are Unicode blocks,
/// or `#` and `-` if the locale or the terminal lacks Unicode. Does not flush.
Result<void> print_chart(Out& out, std::span<const Bar> bars);

}  // namespace svc::print
