// Detects which block a line of Markdown starts, from its first characters.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace svc::print {

using sv = std::string_view;

enum class LineKind : std::uint8_t {
  Blank,
  Text,
  Heading,  ///< `size` is the level
  Rule,
  Fence,  ///< `size` backticks or tildes
  Quote,
  Item,  ///< of a list
  Row    ///< of a table
};

struct LineStart {
  LineKind kind = LineKind::Text;
  std::size_t indent = 0;   ///< columns before the mark
  std::size_t content = 0;  ///< bytes before the line's content
  std::size_t size = 0;
  sv mark{};  ///< of an item or a fence
};

/// Examines a line, or its start (`whole` is false); returns nothing if more of it is needed. Reads
/// at most four columns of a mark, or the whole of a line that consists of one character or may be
/// a table row or a fence.
[[nodiscard]] std::optional<LineStart> read_line_start(sv line, bool whole);

}  // namespace svc::print
