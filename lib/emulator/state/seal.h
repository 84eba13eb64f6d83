// Contents that only the emulator itself reads again: what it gives as `encrypted_content`.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace svc::emulator::text {

/// The bytes in base64 (RFC 4648, section 4).
[[nodiscard]] std::string encode_base64(std::string_view bytes);

/// The bytes behind base64 text; nothing for empty or other text.
[[nodiscard]] std::optional<std::string> decode_base64(std::string_view text);

/// Opaque text for `content`. Nothing is kept secret by it: an emulator has no secrets.
[[nodiscard]] std::string seal(std::string_view kind, std::string_view content);

/// What was sealed with that kind; nothing for any other text.
[[nodiscard]] std::optional<std::string> unseal(std::string_view kind, std::string_view sealed);

}  // namespace svc::emulator::text
