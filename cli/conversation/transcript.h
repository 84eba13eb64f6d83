// A conversation as it looked, as Markdown and as JSON.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "client/answer.h"
#include "print/streams.h"

namespace svc::cli {

/// An attachment of a message.
struct Attachment {
  const Field* field = nullptr;  ///< --image or --file
  std::string text{};
};

/// A message and its answer.
struct Spoken {
  std::string said{};
  std::vector<Attachment> attachments{};
  std::vector<std::string> messages{};  ///< JSON texts; empty if unanswered
  std::string answer{};
  std::string model{};
  bool whole = false;  ///< the answer is complete
};

/// How a conversation looks on a terminal.
struct ReplayStyle {
  print::Terminal terminal{};
  bool render = true;     ///< the answers' Markdown
  bool reasoning = true;  ///< a note where the model has thought
  std::string_view prompt{};
};

struct Replay {
  std::string text{};
  bool cut = false;  ///< there is more
};

/// The last turns of a conversation as they were shown when they took place, in at most
/// `most_lines` lines; of a single turn longer than that, its end.
[[nodiscard]] Replay replay(const std::vector<Spoken>& all, const ReplayStyle& style,
                            std::size_t most_lines);

/// As Markdown, for reading.
[[nodiscard]] std::string as_markdown(const std::vector<Spoken>& all);

/// As JSON, for programs: {"operation","model","response_id","messages"}, with the messages as sent
/// and received.
[[nodiscard]] std::string as_json(const std::vector<Spoken>& all, std::string_view operation,
                                  const std::string& model, const std::string& response_id);

/// The contents of each fenced code block of a Markdown text.
[[nodiscard]] std::vector<std::string> code_blocks(std::string_view markdown);

/// Closes a code block that is left open, so that other text can follow.
[[nodiscard]] std::string closed_markdown(std::string text);

}  // namespace svc::cli
