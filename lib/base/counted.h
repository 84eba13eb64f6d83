// Numbers with their nouns.
#pragma once

#include <concepts>
#include <string>
#include <string_view>

namespace svc {

/// "1 line", "2 lines". The only place where a number chooses between words.
[[nodiscard]] std::string counted(const std::integral auto& count, std::string_view one,
                                  std::string_view many) {
  std::string text = std::to_string(count);
  text += ' ';
  text += count == 1 ? one : many;
  return text;
}

}  // namespace svc
