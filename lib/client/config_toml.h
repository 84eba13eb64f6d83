// Shared by config_file.cpp and config_write.cpp. Internal to lib/client.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#define TOML_EXCEPTIONS 0
// A table name such as `=` violates an assertion of the parser, which then rejects it anyway: the
// assertion would abort debug builds, and is a broken promise to the compiler with NDEBUG.
#pragma push_macro("NDEBUG")
#undef NDEBUG
#define TOML_ASSERT(expr) static_cast<void>(0)
#include <toml++/toml.h>
#pragma pop_macro("NDEBUG")

#include "base/result.h"

namespace svc::config_toml {

/// Maximum size of a configuration file.
inline constexpr std::uint64_t k_max_bytes = 1U << 20U;

/// `path` for use in errors.
[[nodiscard]] std::string shown_file(const std::filesystem::path& path);

/// Usage with line and column if `text`, the content of `path`, is not TOML.
[[nodiscard]] Result<toml::table> parse(const std::filesystem::path& path, std::string_view text);

}  // namespace svc::config_toml
