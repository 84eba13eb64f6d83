// A conversation as a document.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "client/answer.h"
#include "request/inputs.h"

namespace svc::cli {

/// What goes with a message.
struct Attachment {
  const Field* field = nullptr;  ///< --image or --file
  std::string text{};
};

/// A message and what was answered.
struct Spoken {
  std::string said{};
  std::vector<Attachment> attachments{};
  std::vector<std::string> messages{};  ///< JSON texts; empty: nothing was answered
  std::string answer{};
  std::string model{};
  std::optional<Usage> usage{};
  bool whole = false;  ///< the answer was not cut
};

/// For people: Markdown.
[[nodiscard]] std::string as_markdown(const std::vector<Spoken>& all);

/// For programs: {"operation","model","response_id","messages"}, where the messages are those of
/// the wire.
[[nodiscard]] std::string as_json(const std::vector<Spoken>& all, std::string_view operation,
                                  const std::string& model, const std::string& response_id);

/// What stands in each fenced block of a Markdown text.
[[nodiscard]] std::vector<std::string> code_blocks(std::string_view markdown);

/// The last of them; nothing when there is none.
[[nodiscard]] std::optional<std::string> last_code_block(std::string_view markdown);

}  // namespace svc::cli
