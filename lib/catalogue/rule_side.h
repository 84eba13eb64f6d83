// A side of a Rule: a flag, or a flag that has one of some values: "audio-format=pcm|mulaw".
#pragma once

#include <string_view>

namespace svc::catalogue {

/// "audio-format".
constexpr std::string_view rule_flag(std::string_view side) {
  return side.substr(0, side.find('='));
}

/// "pcm|mulaw"; "" where any value counts.
constexpr std::string_view rule_values(std::string_view side) {
  const std::size_t at = side.find('=');
  return at == std::string_view::npos ? std::string_view() : side.substr(at + 1);
}

}  // namespace svc::catalogue
