// Opaque tokens that continue a list. They hold what is needed to go on, so that pages neither
// repeat nor miss what stands still while others come and go.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace svc::emulator {

/// `kind` names the list and what its order depends on: the token is valid with the same only.
[[nodiscard]] std::string make_page_token(std::string_view kind,
                                          const std::vector<std::string>& values);

/// What make_page_token() was given, `count` values; nothing for any other text.
[[nodiscard]] std::optional<std::vector<std::string>> read_page_token(std::string_view kind,
                                                                      std::string_view token,
                                                                      std::size_t count);

}  // namespace svc::emulator
