// The question whether a program may be run, and its answer.
#pragma once

#include <functional>
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

/// How answers come from the user.
struct ToolKeys {
  /// One of the letters y, n, a and e, a blank for "more", or 0 for anything else. What follows "e"
  /// on the same line is put into `reason`.
  std::function<Result<char>(std::string& reason)> choice{};
  /// A line of text, which is shown while it is typed.
  std::function<Result<std::string>()> line{};
  bool echoes = false;  ///< the answer is on the screen already
};

/// Shows `question` (made harmless, ends with "?") in full, a screen at a time where it is longer,
/// and takes the answer. What is typed before is no answer to it: that is the caller's work.
[[nodiscard]] Result<ToolDecision> ask_about_tool(Session& session, const std::string& question,
                                                  TerminalSize size, const ToolKeys& keys);

/// `text` in parts of at most `rows` rows of `columns` columns.
[[nodiscard]] std::vector<std::string> screens_of(std::string_view text, std::size_t columns,
                                                  std::size_t rows);

}  // namespace svc::cli
