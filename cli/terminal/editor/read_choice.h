// One key as the answer to a question on a terminal.
#pragma once

#include <string>
#include <string_view>

#include "base/cancel_token.h"
#include "base/result.h"
#include "terminal/editor/raw_terminal.h"

namespace svc::cli {

struct KeyChoice {
  char key = '\0';     ///< of those that were offered, in lower case, ' ' for Enter; 0: another key
  std::string rest{};  ///< of a line that came with it at once: "e" and a reason
};

/// Waits for a key, which is not echoed; `choices` in lower case. `terminal` is entered, and stays
/// so, with Ctrl-C as a signal. The token's fault once it is cancelled.
[[nodiscard]] Result<KeyChoice> read_choice(RawTerminal& terminal, std::string_view choices,
                                            const CancelToken& cancel);

}  // namespace svc::cli
