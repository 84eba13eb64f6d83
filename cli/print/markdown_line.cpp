#include "print/markdown_line.h"

#include <algorithm>

#include "base/text.h"

namespace svc::print {
namespace {

using Found = std::optional<LineStart>;

std::size_t run_length(sv text) {
  const std::size_t end = text.find_first_not_of(text.front());
  return end == sv::npos ? text.size() : end;
}

LineStart start_of(LineKind kind, std::size_t indent, std::size_t content, std::size_t size = 0,
                   sv mark = {}) {
  return {kind, indent, content, size, mark};
}

/// `rest` is the line from its first mark on, at offset `at`.
Found heading(sv rest, std::size_t indent, std::size_t at, bool whole) {
  const std::size_t level = run_length(rest);
  if (level > 6) return start_of(LineKind::Text, indent, at);
  if (level == rest.size()) {
    return whole ? Found(start_of(LineKind::Heading, indent, at + level, level)) : Found();
  }
  if (rest[level] != ' ') return start_of(LineKind::Text, indent, at);
  return start_of(LineKind::Heading, indent, at + level + 1, level);
}

Found fence(sv rest, std::size_t indent, std::size_t at, bool whole) {
  const std::size_t length = run_length(rest);
  if (length < 3) {
    if (length == rest.size() && !whole) return {};
    return start_of(LineKind::Text, indent, at);
  }
  // Inline code has its closing backticks on the same line.
  if (rest.front() == '`' && rest.find('`', length) != sv::npos) {
    return start_of(LineKind::Text, indent, at);
  }
  if (!whole) return {};
  return start_of(LineKind::Fence, indent, at + length, length, rest.substr(0, length));
}

/// `***`, `- - -`, `___`; also the `===` line below a setext heading.
bool may_be_rule(sv rest) {
  return std::all_of(rest.begin(), rest.end(),
                     [&](char c) { return c == rest.front() || c == ' ' || c == '\t'; });
}

Found item(sv rest, std::size_t indent, std::size_t at, std::size_t mark, bool whole) {
  if (mark == rest.size()) {
    if (!whole) return {};
    return start_of(LineKind::Item, indent, at + mark, 0, rest.substr(0, mark));
  }
  if (rest[mark] != ' ' && rest[mark] != '\t') return start_of(LineKind::Text, indent, at);
  return start_of(LineKind::Item, indent, at + mark + 1, 0, rest.substr(0, mark));
}

Found marks(sv rest, std::size_t indent, std::size_t at, bool whole) {
  const char mark = rest.front();
  if (mark != '+' && may_be_rule(rest)) {
    if (!whole) return {};
    if (std::count(rest.begin(), rest.end(), mark) >= 3) {
      return start_of(LineKind::Rule, indent, at, 0, rest.substr(0, 1));
    }
  }
  if (mark == '_' || mark == '=') return start_of(LineKind::Text, indent, at);
  return item(rest, indent, at, 1, whole);
}

Found numbered(sv rest, std::size_t indent, std::size_t at, bool whole) {
  std::size_t digits = 0;
  while (digits < rest.size() && is_digit(rest[digits])) ++digits;
  if (digits > 9) return start_of(LineKind::Text, indent, at);
  if (digits == rest.size()) {
    return whole ? Found(start_of(LineKind::Text, indent, at)) : Found();
  }
  if (rest[digits] != '.' && rest[digits] != ')') return start_of(LineKind::Text, indent, at);
  return item(rest, indent, at, digits + 1, whole);
}

}  // namespace

std::optional<LineStart> read_line_start(sv line, bool whole) {
  std::size_t indent = 0;
  std::size_t at = 0;
  for (; at < line.size() && (line[at] == ' ' || line[at] == '\t'); ++at) {
    indent += line[at] == '\t' ? 4 - indent % 4 : 1;
  }
  if (at == line.size()) {
    return whole ? Found(start_of(LineKind::Blank, indent, at)) : Found();
  }
  const sv rest = line.substr(at);
  switch (rest.front()) {
    case '#':
      return heading(rest, indent, at, whole);
    case '`':
    case '~':
      return fence(rest, indent, at, whole);
    case '>':
      if (rest.size() == 1 && !whole) return {};
      return start_of(LineKind::Quote, indent, at + (rest.size() > 1 && rest[1] == ' ' ? 2U : 1U));
    case '|':
      if (!whole) return {};
      return start_of(LineKind::Row, indent, at);
    case '-':
    case '*':
    case '_':
    case '=':
    case '+':
      return marks(rest, indent, at, whole);
    default:
      if (is_digit(rest.front())) return numbered(rest, indent, at, whole);
      return start_of(LineKind::Text, indent, at);
  }
}

}  // namespace svc::print
