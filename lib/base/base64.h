// Base64 with padding (RFC 4648 §4), whole and in pieces.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace svc {

/// The length of the base64 of a number of bytes.
[[nodiscard]] constexpr std::uint64_t base64_length(std::uint64_t bytes) noexcept {
  return (bytes + 2) / 3 * 4;
}

/// Appends the base64 of `bytes` to `out`. Pieces whose length is a multiple of three join.
void append_base64(std::string& out, std::string_view bytes);

[[nodiscard]] std::string base64_encode(std::string_view bytes);

/// Strict base64 (padding required, no white space); nothing when it is not.
[[nodiscard]] std::optional<std::string> base64_decode(std::string_view text);

/// The same for a long text: hands the bytes on piece by piece. False when it is not base64, which
/// may come after some bytes were handed on.
[[nodiscard]] Result<bool> base64_decode(
    std::string_view text, const std::function<Result<void>(std::string_view bytes)>& sink);

}  // namespace svc
