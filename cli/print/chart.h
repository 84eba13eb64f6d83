// Bars for a terminal, each with its exact number beside it.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "base/result.h"
#include "print/streams.h"

namespace svc::print {

struct Bar {
  std::string label{};  ///< may come from outside
  std::int64_t size = 0;
  std::string value{};  ///< what is written beside the bar: "$12.50"
};

/// One line per bar: its label, the bar, its value. The longest bar takes the room that labels and
/// values leave of the terminal's width (of 80 columns elsewhere), at least four columns; a bar
/// that is not zero shows at least its first part. A negative one is drawn in a lighter block.
/// Blocks of Unicode, or `#` and `-` where the locale or the terminal has none. Does not flush.
Result<void> print_chart(Out& out, std::span<const Bar> bars);

}  // namespace svc::print
