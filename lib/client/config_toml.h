// What config_file.cpp and config_write.cpp share. Not part of the public interface.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#define TOML_EXCEPTIONS 0
// A table's name like `=` breaks what the parser asserts, though it continues to refuse it: an
// abort in debug builds, and with NDEBUG a promise to the compiler that is not kept.
#pragma push_macro("NDEBUG")
#undef NDEBUG
#define TOML_ASSERT(expr) static_cast<void>(0)
#include <toml++/toml.h>
#pragma pop_macro("NDEBUG")

#include "base/result.h"

namespace svc::config_toml {

/// No configuration is larger.
inline constexpr std::uint64_t k_max_bytes = 1U << 20U;

/// `path` as errors show it.
[[nodiscard]] std::string shown_file(const std::filesystem::path& path);

/// Usage with line and column when `text`, which stands in `path`, is not TOML.
[[nodiscard]] Result<toml::table> parse(const std::filesystem::path& path, std::string_view text);

}  // namespace svc::config_toml
