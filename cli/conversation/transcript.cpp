#include "conversation/transcript.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "history/message_text.h"
#include "json/document.h"
#include "print/markdown.h"
#include "print/markdown_line.h"
#include "print/wrapped_text.h"
#include "terminal/editor/edit_screen.h"

namespace svc::cli {
namespace {

/// A message as typed at the prompt.
std::string as_typed(std::string_view text, const ReplayStyle& style) {
  std::string shown;
  const auto columns = static_cast<std::size_t>(style.terminal.columns);
  for (const EditRow& row : lay_out(text, 0, style.prompt, columns).rows) shown += row.shown + "\n";
  return shown;
}

std::string aside(std::string_view text, const ReplayStyle& style) {
  print::WrappedText wrapped(style.terminal, {}, 0,
                             style.terminal.color ? print::k_look_dim : print::k_look_plain);
  std::string shown = wrapped.feed(text);
  return shown + wrapped.finish();
}

std::string as_answered(std::string_view text, const ReplayStyle& style) {
  if (style.render) {
    print::MarkdownStream stream(style.terminal);
    std::string shown = stream.feed(text);
    return shown + stream.finish();
  }
  return visible(text) + (text.ends_with('\n') ? "" : "\n");
}

std::string replay_turn(const Spoken& spoken, const ReplayStyle& style) {
  if (spoken.messages.empty()) return as_typed(spoken.said, style) + "\n";
  std::string shown;
  for (const std::string& message : spoken.messages) {
    const history::MessageText said = history::read_message_text(message);
    if (said.reasoned && style.reasoning) shown += aside("thought", style);
    const std::string_view text = said.text;
    if (said.role == "user") shown += as_typed(text, style);
    if (said.role != "assistant") continue;
    if (said.calls > 0) shown += as_answered(text.substr(0, said.calls), style);
    for (const std::string_view call : split(trim(text.substr(said.calls)), '\n')) {
      if (!call.empty()) shown += aside(fmt::format("[{}]", call), style);
    }
  }
  return shown + "\n";
}

/// Sets `open_mark` to the mark of a block that the text does not close.
std::vector<std::string> read_blocks(std::string_view markdown, std::string& open_mark) {
  std::vector<std::string> found;
  std::optional<std::string> open;
  if (markdown.ends_with('\n')) markdown.remove_suffix(1);
  for (const sv line : split(markdown, '\n')) {
    const auto start = print::read_line_start(line, true);
    const bool fence = start && start->kind == print::LineKind::Fence;
    if (open && fence && start->mark.starts_with(open_mark) &&
        trim(line.substr(start->content)).empty()) {
      found.push_back(*std::exchange(open, std::nullopt));
      open_mark.clear();
    } else if (open) {
      *open += std::string(line) + "\n";
    } else if (fence) {
      open_mark = std::string(start->mark);
      open.emplace();
    }
  }
  // An unclosed block ends with the text.
  if (open && !open->empty()) found.push_back(*std::move(open));
  return found;
}

}  // namespace

Replay replay(const std::vector<Spoken>& all, const ReplayStyle& style, std::size_t most_lines) {
  std::vector<std::string> turns;
  std::size_t left = most_lines;
  bool cut = false;
  for (auto one = all.rbegin(); one != all.rend() && !cut; ++one) {
    std::string turn = replay_turn(*one, style);
    auto lines = static_cast<std::size_t>(std::count(turn.begin(), turn.end(), '\n'));
    cut = lines > left;
    if (cut && !turns.empty()) break;
    std::size_t begin = 0;  // each line has its own looks
    for (; lines > left; --lines) begin = turn.find('\n', begin) + 1;
    turns.push_back(turn.substr(begin));
    left -= lines;
  }
  std::reverse(turns.begin(), turns.end());
  return {join(turns, ""), cut};
}

std::string as_markdown(const std::vector<Spoken>& all) {
  std::string text;
  for (const Spoken& spoken : all) {
    text += fmt::format("{}## You\n\n{}\n", text.empty() ? "" : "\n", spoken.said);
    for (const Attachment& attachment : spoken.attachments) {
      text += fmt::format(
          "\n({}: {})\n", attachment.field->flag,
          attachment.text.starts_with("data:") ? excerpt(attachment.text, 40) : attachment.text);
    }
    if (spoken.messages.empty()) continue;
    text += fmt::format("\n## {}\n\n{}\n", spoken.model.empty() ? "Answer" : spoken.model,
                        closed_markdown(std::string(trim(spoken.answer))));
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
  std::string open_mark;
  return read_blocks(markdown, open_mark);
}

std::string closed_markdown(std::string text) {
  std::string open_mark;
  (void)read_blocks(text, open_mark);
  if (!open_mark.empty()) text += (text.ends_with('\n') ? "" : "\n") + open_mark;
  return text;
}

}  // namespace svc::cli
