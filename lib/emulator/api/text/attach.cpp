#include "emulator/api/text/attach.h"

#include <fmt/format.h>

#include "emulator/api/files/extract.h"
#include "emulator/api/files/store.h"
#include "emulator/model/rules.h"

namespace svc::emulator::text {

Attachment attachment_of(sv name, sv content_type, sv data) {
  Attachment attachment{.name = std::string(name), .bytes = data.size()};
  if (auto text = extract_text(content_type, data)) {
    attachment.text = *std::move(text);
    attachment.readable = true;
  }
  return attachment;
}

std::optional<Answer> attach_files(const Call& call, std::vector<Turn>& turns) {
  for (Turn& turn : turns) {
    for (const std::string& id : turn.file_ids) {
      const auto file = find_file(*call.state, call.key.team_id, id);
      if (!file) return refuse_internal(file.error());
      if (!*file) return refuse_missing(fmt::format("File with id={} not found", id));
      if (!(*file)->complete()) {
        return refuse_argument(fmt::format("The file {} is not fully uploaded.", id));
      }
      const auto content = read_file(*call.state, call.key.team_id, id);
      if (!content) return refuse_internal(content.error());
      if (!*content) return refuse_missing(fmt::format("File with id={} not found", id));
      const FileContent& found = **content;
      turn.attachments.push_back(
          attachment_of(found.file.filename, found.file.content_type, found.data));
    }
  }
  return std::nullopt;
}

}  // namespace svc::emulator::text
