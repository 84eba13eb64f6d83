// Bytes of one content type as an answer, whole or a range of them (RFC 9110, section 14).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "emulator/handler/handler.h"

namespace svc::emulator {

/// 200 with all of `data`, 206 with the part that the Range header asks for while If-Range allows
/// it, or 416. Several ranges at once are answered with the whole.
[[nodiscard]] Answer serve_bytes(const Call& call, std::string data, std::string content_type,
                                 std::string_view etag, std::int64_t modified_s);

}  // namespace svc::emulator
