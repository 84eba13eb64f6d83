// Edits a text in the user's editor.
#pragma once

#include <string>

#include "base/cancel_token.h"
#include "base/result.h"
#include "client/settings.h"
#include "terminal/editor/raw_terminal.h"

namespace svc::cli {

/// Opens `text` in $VISUAL, $EDITOR or vi, which takes over the terminal, and returns the saved
/// text. The editor is terminated if `cancel` is requested. Local if it cannot be run or fails.
[[nodiscard]] Result<std::string> edit_text(const std::string& text, RawTerminal& terminal,
                                            const Environment& environment,
                                            const CancelToken& cancel);

}  // namespace svc::cli
