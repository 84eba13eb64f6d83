// A stored file as the wire shows it.
#pragma once

#include <string>

#include "emulator/api/files/store.h"
#include "emulator/json/json.h"

namespace svc::emulator {

/// The file object. `address` is where the emulator is reached
/// (own_address()); a public URL that is past its own expiry at `now_s` is not shown.
[[nodiscard]] text::Json file_object(const StoredFile& file, const std::string& address,
                                     std::int64_t now_s);

/// The file metadata of chunked uploads and of documents in collections.
[[nodiscard]] text::Json file_metadata(const StoredFile& file);

}  // namespace svc::emulator
