// What config_file.cpp and config_write.cpp share. Not part of the public interface.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#define TOML_EXCEPTIONS 0
#include <toml++/impl/preprocessor.h>
// A table's name like `=` breaks what the parser assumes, though it goes on to refuse it: an abort
// in debug builds, undefined without assertions.
#undef TOML_ASSERT_ASSUME
#define TOML_ASSERT_ASSUME(expr) static_assert(true)
#include <toml++/toml.h>

#include "base/result.h"

namespace svc::config_toml {

/// No configuration is larger.
inline constexpr std::uint64_t k_max_bytes = 1U << 20U;

/// `path` as errors show it.
[[nodiscard]] std::string shown(const std::filesystem::path& path);

/// Usage with line and column when `text`, which stands in `path`, is not TOML.
[[nodiscard]] Result<toml::table> parse(const std::filesystem::path& path, std::string_view text);

}  // namespace svc::config_toml
