// Files that a conversation refers to, as the pretended model reads them.
#pragma once

#include <optional>
#include <vector>

#include "emulator/handler/handler.h"
#include "emulator/model/ask.h"

namespace svc::emulator::text {

/// Reads the files whose ids the turns carry into their attachments. 404 for one that is missing,
/// deleted or expired; 400 for one that is not fully uploaded.
[[nodiscard]] std::optional<Answer> attach_files(const Call& call, std::vector<Turn>& turns);

/// An attachment for bytes that came with the request itself.
[[nodiscard]] Attachment attachment_of(sv name, sv content_type, sv data);

}  // namespace svc::emulator::text
