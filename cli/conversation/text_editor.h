// A text in the editor of the user's choice.
#pragma once

#include <string>

#include "base/cancel_token.h"
#include "base/result.h"
#include "client/settings.h"
#include "terminal/editor/raw_terminal.h"

namespace svc::cli {

/// Opens `text` in $VISUAL, $EDITOR or vi, which has the terminal meanwhile, and gives what was
/// saved. It is asked to end when `stop` asks. Local when it cannot be run or ends badly.
[[nodiscard]] Result<std::string> edit_text(const std::string& text, RawTerminal& terminal,
                                            const Environment& environment,
                                            const CancelToken& cancel);

}  // namespace svc::cli
