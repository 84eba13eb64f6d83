// A text that matches a regular expression, for the simple ones that schemas use.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace svc::emulator::text {

/// A text of `min_length` to `max_length` bytes that matches `pattern`. Understood are literals,
/// classes, escapes (\d \w \s and their opposites), groups, alternatives and quantifiers; anything
/// else (look-around, back references, properties) gives nothing. `variation` asks for another text
/// where the pattern has several.
[[nodiscard]] std::optional<std::string> sample_pattern(std::string_view pattern,
                                                        std::size_t min_length,
                                                        std::size_t max_length,
                                                        std::size_t variation = 0);

}  // namespace svc::emulator::text
