// The handlers behind file_routes().
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "emulator/handler/handler.h"

namespace svc::emulator::files {

/// The largest file of POST /v1/files, and of an upload in chunks.
inline constexpr std::size_t k_max_file = 50'000'000;
inline constexpr std::int64_t k_max_chunked_file = 512'000'000;

[[nodiscard]] Answer upload(const Call& call);
[[nodiscard]] Answer list(const Call& call);
[[nodiscard]] Answer get(const Call& call);
[[nodiscard]] Answer update(const Call& call);
[[nodiscard]] Answer remove(const Call& call);
[[nodiscard]] Answer content(const Call& call);
[[nodiscard]] Answer publish(const Call& call);
[[nodiscard]] Answer unpublish(const Call& call);
[[nodiscard]] Answer serve_public(const Call& call);
[[nodiscard]] Answer initialize(const Call& call);
[[nodiscard]] Answer upload_chunk(const Call& call);

/// 404 for a file that is missing, deleted or expired.
[[nodiscard]] Answer refuse_file(std::string_view id);

/// 413.
[[nodiscard]] Answer refuse_file_size(std::uint64_t limit);

/// What is wrong with a file's name or with expires_after (3600 to 2592000 s), as a sentence.
[[nodiscard]] std::optional<std::string> name_fault(std::string_view name);
[[nodiscard]] std::optional<std::string> expiry_fault(std::int64_t seconds);

}  // namespace svc::emulator::files
