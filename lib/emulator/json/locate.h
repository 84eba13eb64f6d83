// Where a value stands in the text of a JSON document.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <variant>

namespace svc::emulator::text {

/// A member's name or an element's index.
using Step = std::variant<std::string, std::size_t>;

struct Position {
  std::size_t line = 1;
  std::size_t column = 1;
};

/// The position of the last byte of the value that `path` leads to, counted from 1, which is where
/// the service's parser stands when it finds a value wrong. Where the path leads nowhere, the last
/// byte of the innermost value that it reaches. `document` must be JSON.
[[nodiscard]] Position locate(std::string_view document, std::span<const Step> path);

/// "messages[0].role"; "." for the document itself.
[[nodiscard]] std::string describe_path(std::span<const Step> path);

}  // namespace svc::emulator::text
