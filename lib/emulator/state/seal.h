// Opaque values that only the emulator itself reads again: `encrypted_content` and page tokens. A
// page token contains the position to continue at, so that pages neither repeat nor skip items
// while others are added or removed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace svc::emulator::text {

/// Encodes `content` as opaque text, without encryption: an emulator has no secrets.
[[nodiscard]] std::string seal(std::string_view kind, std::string_view content);

/// Decodes text sealed with that kind; nothing for any other text.
[[nodiscard]] std::optional<std::string> unseal(std::string_view kind, std::string_view sealed);

}  // namespace svc::emulator::text

namespace svc::emulator {
/// `kind` identifies the list and its order: the token is valid only with the same kind.
[[nodiscard]] std::string make_page_token(std::string_view kind,
                                          const std::vector<std::string>& values);

/// Returns the `count` values passed to make_page_token(); nothing for any other text.
[[nodiscard]] std::optional<std::vector<std::string>> read_page_token(std::string_view kind,
                                                                      std::string_view token,
                                                                      std::size_t count);

/// Returns the integer that is a token's only value.
[[nodiscard]] std::optional<std::int64_t> read_page_number(std::string_view kind,
                                                           std::string_view token);

}  // namespace svc::emulator
