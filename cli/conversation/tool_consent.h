// The question whether a program may be run, and its answer.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/cancel_token.h"
#include "base/result.h"
#include "conversation/tool_calls.h"
#include "session/session.h"
#include "terminal/editor/raw_terminal.h"

namespace svc::cli {

/// What a user decided about a call.
struct ToolDecision {
  ToolConsent consent = ToolConsent::No;
  std::string reason{};  ///< of a no, for the model; may be empty
};

/// Shows `question` (made harmless, ends with "?") in full, a screen at a time where it is longer,
/// and takes the answer: one key. What is typed before does not answer it: that is the caller's
/// work.
[[nodiscard]] Result<ToolDecision> ask_about_tool(Session& session, const std::string& question,
                                                  RawTerminal& terminal, const CancelToken& cancel);

/// `text` in parts of at most `rows` rows of `columns` columns.
[[nodiscard]] std::vector<std::string> screens_of(std::string_view text, std::size_t columns,
                                                  std::size_t rows);

}  // namespace svc::cli
