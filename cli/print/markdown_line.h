// What a line of Markdown begins, as soon as its first characters tell.
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
  Item,     ///< of a list
  Row,      ///< of a table
  Indented  ///< by four columns or more, where that means code
};

struct LineStart {
  LineKind kind = LineKind::Text;
  std::size_t indent = 0;   ///< columns before the mark
  std::size_t content = 0;  ///< bytes up to what the line holds
  std::size_t size = 0;
  sv mark{};  ///< of an item or a fence
};

/// Looks at a line, or at the begin of one (`whole` is false): nothing when more must be seen.
/// At most four columns of a mark are looked at, or the whole of a line that consists of one kind
/// of mark, or may be a table's row or a fence.
[[nodiscard]] std::optional<LineStart> read_line_start(sv line, bool whole);

}  // namespace svc::print
