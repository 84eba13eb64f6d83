// Inside the file store: the tables, and a row as a StoredFile.
#pragma once

#include <string_view>

#include "database/database.h"
#include "emulator/api/files/store.h"

namespace svc::emulator::files {

/// In the order that read_row() takes.
inline constexpr std::string_view k_columns =
    "id, filename, content_type, bytes, created_at, expires_at, purpose, upload_status, hash,"
    " public_token, public_expires_at, seq";

/// What is not expired; its parameter is the time in Unix seconds.
inline constexpr std::string_view k_visible = "(expires_at IS NULL OR expires_at > ?)";

[[nodiscard]] StoredFile read_row(const Statement& row);

}  // namespace svc::emulator::files
