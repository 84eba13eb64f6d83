#include "conversation/transcript.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "json/document.h"
#include "print/markdown_line.h"

namespace svc::cli {

std::string as_markdown(const std::vector<Spoken>& all) {
  std::string text;
  for (const Spoken& spoken : all) {
    text += fmt::format("{}## You\n\n{}\n", text.empty() ? "" : "\n", spoken.said);
    for (const Attachment& attachment : spoken.attachments) {
      text += fmt::format("\n({}: {})\n", attachment.field->flag, attachment.text);
    }
    if (spoken.messages.empty()) continue;
    text += fmt::format("\n## {}\n\n{}\n", spoken.model.empty() ? "Answer" : spoken.model,
                        trim(spoken.answer));
    if (!spoken.whole) text += "\n(The answer is incomplete.)\n";
  }
  return text;
}

std::string as_json(const std::vector<Spoken>& all, std::string_view operation,
                    const std::string& model, const std::string& response_id) {
  OrderedJson document{{"operation", operation}, {"model", model}};
  if (!response_id.empty()) document["response_id"] = response_id;
  document["messages"] = OrderedJson::array();
  for (const Spoken& spoken : all) {
    for (const std::string& message : spoken.messages) {
      document["messages"].push_back(parse_reply_in_order(message));
    }
  }
  return document.dump(2, ' ', false, OrderedJson::error_handler_t::replace) + "\n";
}

std::vector<std::string> code_blocks(std::string_view markdown) {
  std::vector<std::string> found;
  std::optional<std::string> open;
  std::string mark;
  for (const sv line : split(markdown, '\n')) {
    const auto start = print::read_line_start(line, true);
    const bool fence = start && start->kind == print::LineKind::Fence;
    if (open && fence && start->mark.starts_with(mark) &&
        trim(line.substr(start->content)).empty()) {
      found.push_back(*std::exchange(open, std::nullopt));
    } else if (open) {
      *open += std::string(line) + "\n";
    } else if (fence) {
      mark = std::string(start->mark);
      open.emplace();
    }
  }
  // An unclosed block ends with the text.
  if (open && !open->empty()) found.push_back(*std::move(open));
  return found;
}

std::optional<std::string> last_code_block(std::string_view markdown) {
  std::vector<std::string> blocks = code_blocks(markdown);
  return blocks.empty() ? std::nullopt : std::optional(std::move(blocks.back()));
}

}  // namespace svc::cli
