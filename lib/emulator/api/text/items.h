// The input and output items of a Responses conversation.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "emulator/handler/handler.h"
#include "emulator/json/json.h"
#include "emulator/model/answer.h"

namespace svc::emulator::text {

/// The seal kind of a compaction item.
inline constexpr sv k_compaction_kind = "compaction";

/// A conversation while it is read.
struct Conversation {
  std::vector<Turn> turns{};
  std::map<std::string, std::string> called{};  ///< function names by call_id
};

/// Returns `input` as an array of items, each with a type and an ID that starts with `id_prefix`. A
/// plain string becomes one user message.
[[nodiscard]] Json normal_items(const Json& input, sv id_prefix);

/// Adds the items to the conversation. Refuses invalid images and files, and compactions that this
/// emulator did not create.
[[nodiscard]] std::optional<Response> add_items(const Json& items, Conversation& conversation);

/// Converts turns to the content of a compaction, and back. Attachments are only counted.
[[nodiscard]] std::string serialize_turns(const std::vector<Turn>& turns);
[[nodiscard]] bool parse_turns(sv document, std::vector<Turn>& turns);

// --- files in a conversation, as read by the pretended model ---

/// Loads the files whose IDs are in the turns as their attachments. Returns 404 for one that is
/// missing, deleted or expired, and 400 for one that is not fully uploaded.
[[nodiscard]] std::optional<Response> attach_files(const Request& request,
                                                   std::vector<Turn>& turns);

/// Returns an attachment for bytes in the request itself.
[[nodiscard]] Attachment attachment_of(sv name, sv content_type, sv data);

}  // namespace svc::emulator::text
