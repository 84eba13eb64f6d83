#include "emulator/api/files/json.h"

#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "emulator/handler/handler.h"

namespace svc::emulator {

using text::Json;

Json file_object(const StoredFile& file, const std::string& address, std::int64_t now_s) {
  Json object = {{"id", file.id},
                 {"object", "file"},
                 {"bytes", file.bytes},
                 {"created_at", file.created_at},
                 {"expires_at", file.expires_at ? Json(*file.expires_at) : Json(nullptr)},
                 {"filename", file.filename},
                 {"purpose", file.purpose}};
  const bool lapsed = file.public_expires_at && *file.public_expires_at <= now_s;
  if (!file.public_token.empty() && !lapsed) {
    object["public_url"] = public_file_url(address, file.public_token, file.filename);
    if (file.public_expires_at) object["public_url_expires_at"] = *file.public_expires_at;
  }
  if (!file.complete()) object["upload_status"] = file.upload_status;
  return object;
}

Json file_metadata(const StoredFile& file) {
  return {{"file_id", file.id},
          {"name", file.filename},
          {"size_bytes", std::to_string(file.bytes)},
          {"content_type", file.content_type},
          {"created_at", format_rfc3339(file.created_at)},
          {"expires_at", file.expires_at ? Json(format_rfc3339(*file.expires_at)) : Json(nullptr)},
          {"hash", file.hash},
          {"upload_status", file.upload_status},
          {"upload_error_message", ""},
          {"processing_status", file.complete() ? "Complete" : "Pending"},
          {"file_path", ""}};
}

}  // namespace svc::emulator
