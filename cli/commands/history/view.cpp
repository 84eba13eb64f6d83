#include "commands/history/view.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "base/money.h"
#include "history/message_text.h"
#include "json/document.h"

namespace svc::cli {
namespace {

using history::Conversation;
using history::Message;

std::string heading_of(const Conversation& conversation) {
  if (!conversation.name.empty()) return conversation.name;
  return conversation.title.empty() ? fmt::format("Conversation {}", conversation.id)
                                    : conversation.title;
}

std::string facts_of(const Conversation& conversation) {
  return fmt::format("svc {}, {}, {} to {}, {} {}, {}", conversation.operation,
                     conversation.model.empty() ? "no model named" : conversation.model,
                     format_rfc3339(conversation.created), format_rfc3339(conversation.updated),
                     conversation.turns, conversation.turns == 1 ? "turn" : "turns",
                     format_ticks(conversation.cost_ticks));
}

}  // namespace

OrderedJson conversation_json(const Conversation& conversation) {
  const auto text_or_null = [](const std::string& text) {
    return text.empty() ? OrderedJson() : OrderedJson(text);
  };
  return OrderedJson{{"id", conversation.id},
                     {"name", text_or_null(conversation.name)},
                     {"command", conversation.operation},
                     {"profile", conversation.profile},
                     {"model", text_or_null(conversation.model)},
                     {"folder", conversation.folder},
                     {"created", conversation.created},
                     {"updated", conversation.updated},
                     {"turns", conversation.turns},
                     {"cost_in_usd_ticks", conversation.cost_ticks},
                     {"response_id", text_or_null(conversation.response_id)},
                     {"title", conversation.title}};
}

OrderedJson conversation_document(const Conversation& conversation,
                                  const std::vector<Message>& messages) {
  OrderedJson document = conversation_json(conversation);
  document["system"] =
      conversation.system.empty() ? OrderedJson() : OrderedJson(conversation.system);
  OrderedJson& all = document["messages"] = OrderedJson::array();
  for (const Message& message : messages) {
    OrderedJson said = OrderedJson::parse(message.json, nullptr, false);
    if (said.is_discarded()) said = message.json;
    all.push_back({{"turn", message.turn}, {"time", message.time}, {"message", std::move(said)}});
  }
  return document;
}

std::string conversation_markdown(const Conversation& conversation,
                                  const std::vector<Message>& messages) {
  std::string text = fmt::format("# {}\n\n{}\n", heading_of(conversation), facts_of(conversation));
  if (!conversation.system.empty()) {
    text += fmt::format("\n## system\n\n{}\n", conversation.system);
  }
  for (const Message& message : messages) {
    const history::Said said = history::said_in(message.json);
    if (said.text.empty()) continue;
    text += fmt::format("\n## {}\n\n{}\n", said.role, said.text);
  }
  return text;
}

std::string conversation_text(const Conversation& conversation,
                              const std::vector<Message>& messages) {
  std::string text = fmt::format("{}\n{}\n", heading_of(conversation), facts_of(conversation));
  if (!conversation.system.empty()) text += fmt::format("\nsystem: {}\n", conversation.system);
  for (const Message& message : messages) {
    const history::Said said = history::said_in(message.json);
    if (!said.text.empty()) text += fmt::format("\n{}: {}\n", said.role, said.text);
  }
  return text;
}

}  // namespace svc::cli
