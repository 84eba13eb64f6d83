// A question on the terminal that one key answers.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/cancel_token.h"
#include "base/result.h"
#include "session/session.h"
#include "terminal/editor/raw_terminal.h"

namespace svc::cli {

/// Takes keys that are not an answer, for the next message; returns the text to show.
using TypedAhead = std::function<std::string(std::string_view keys)>;

/// The end of a yes/no question: keys in brackets, or a sentence where it is read aloud.
[[nodiscard]] std::string_view yes_or_no(const print::Terminal& terminal) noexcept;

/// Writes `text`, whose last line fits on the terminal, and waits for one of `choices` (lower case;
/// ' ' is Enter or space). Only a key with half a second of silence before and after it is an
/// answer. Everything else goes to `ahead` and is shown below the question; without `ahead` it is
/// shown and dropped. Returns the token's fault if canceled.
[[nodiscard]] Result<KeyChoice> ask_question(Session& session, RawTerminal& terminal,
                                             const std::string& text, std::string_view choices,
                                             const CancelToken& cancel,
                                             const TypedAhead& ahead = {});

}  // namespace svc::cli
