// Contents that only the emulator itself reads again: what it gives as `encrypted_content`, and
// tokens that continue a list. These hold what is needed to go on, so that pages neither repeat nor
// miss what stands still while others come and go.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace svc::emulator::text {

/// Opaque text for `content`. Nothing is kept secret by it: an emulator has no secrets.
[[nodiscard]] std::string seal(std::string_view kind, std::string_view content);

/// What was sealed with that kind; nothing for any other text.
[[nodiscard]] std::optional<std::string> unseal(std::string_view kind, std::string_view sealed);

}  // namespace svc::emulator::text

namespace svc::emulator {
/// `kind` names the list and what its order depends on: the token is valid with the same only.
[[nodiscard]] std::string make_page_token(std::string_view kind,
                                          const std::vector<std::string>& values);

/// What make_page_token() was given, `count` values; nothing for any other text.
[[nodiscard]] std::optional<std::vector<std::string>> read_page_token(std::string_view kind,
                                                                      std::string_view token,
                                                                      std::size_t count);

/// The whole number that is the only value of a token.
[[nodiscard]] std::optional<std::int64_t> read_page_number(std::string_view kind,
                                                           std::string_view token);

}  // namespace svc::emulator
