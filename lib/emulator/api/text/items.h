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

/// The sealed kind of a compaction item.
inline constexpr sv k_compaction_kind = "compaction";

/// A conversation while it is read.
struct Conversation {
  std::vector<Turn> turns{};
  std::map<std::string, std::string> called{};  ///< the function's name by call_id
};

/// `input` as an array of items, each with a type and an id that begins with `id_prefix`. A plain
/// string is one user message.
[[nodiscard]] Json normal_items(const Json& input, sv id_prefix);

/// Adds the items to the conversation. Refused are images and files that are none, and a compaction
/// that this emulator did not make.
[[nodiscard]] std::optional<Answer> add_items(const Json& items, Conversation& conversation);

/// The turns as they are sealed into a compaction, and back. Attachments are only counted.
[[nodiscard]] std::string write_turns(const std::vector<Turn>& turns);
[[nodiscard]] bool read_turns(sv document, std::vector<Turn>& turns);

// --- files that a conversation refers to, as the pretended model reads them ---

/// Reads the files whose ids the turns carry into their attachments. 404 for one that is missing,
/// deleted or expired; 400 for one that is not fully uploaded.
[[nodiscard]] std::optional<Answer> attach_files(const Call& call, std::vector<Turn>& turns);

/// An attachment for bytes that came with the request itself.
[[nodiscard]] Attachment attachment_of(sv name, sv content_type, sv data);

}  // namespace svc::emulator::text
