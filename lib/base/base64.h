// Base64 with padding (RFC 4648 §4), in one call or in chunks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace svc {

/// The length of `bytes` bytes once encoded as base64.
[[nodiscard]] constexpr std::uint64_t base64_length(std::uint64_t bytes) noexcept {
  return (bytes + 2) / 3 * 4;
}

/// Appends the base64 of `bytes` to `out`. Chunks whose length is a multiple of three can be
/// encoded separately and concatenated.
void append_base64(std::string& out, std::string_view bytes);

[[nodiscard]] std::string base64_encode(std::string_view bytes);

/// Decodes strict base64 (padding required, no whitespace); empty when `text` is not valid.
[[nodiscard]] std::optional<std::string> base64_decode(std::string_view text);

/// Decodes a long text and passes the bytes to `sink` in chunks. Returns false when `text` is not
/// valid base64, possibly after `sink` has received some bytes.
[[nodiscard]] Result<bool> base64_decode(
    std::string_view text, const std::function<Result<void>(std::string_view bytes)>& sink);

}  // namespace svc
