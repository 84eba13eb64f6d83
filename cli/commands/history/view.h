// A kept conversation as a document: JSON, Markdown, or text to read.
#pragma once

#include <string>
#include <vector>

#include "history/conversations.h"
#include "json/document.h"

namespace svc::cli {

/// Its members without its messages, as `svc history list --json` prints them.
[[nodiscard]] OrderedJson conversation_json(const history::Conversation& conversation);

/// All of it, the messages exactly as they are on the wire.
[[nodiscard]] OrderedJson conversation_document(const history::Conversation& conversation,
                                                const std::vector<history::Message>& messages);

/// What was said, with a heading for each that speaks.
[[nodiscard]] std::string conversation_markdown(const history::Conversation& conversation,
                                                const std::vector<history::Message>& messages);

/// The same to read: a line of facts, then each with its role before it.
[[nodiscard]] std::string conversation_text(const history::Conversation& conversation,
                                            const std::vector<history::Message>& messages);

}  // namespace svc::cli
