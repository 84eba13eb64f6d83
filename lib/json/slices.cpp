#include "json/slices.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "base/text.h"
#include "json/scanner.h"

namespace svc {
namespace {

using json_scan::Token;
using SliceScanner = json_scan::Scanner<json_scan::Input::Checked>;

std::optional<std::string_view> direct_member(std::string_view document, std::string_view name) {
  SliceScanner scanner(document);
  if (scanner.next() != Token::BeginObject) return std::nullopt;
  while (scanner.next() == Token::Name) {
    const bool found = scanner.inside() == name;
    const auto value = scanner.value();
    if (found || !value) return value;
  }
  return std::nullopt;
}

/// Looks for several paths at a time. A set of them is a bit each.
class Picker {
 public:
  using Set = std::uint32_t;
  using Found = std::vector<std::optional<std::string_view>>;

  Picker(std::string_view document, std::span<const std::string_view> paths)
      : m_json(document), m_scanner(document), m_paths(paths), m_found(paths.size()) {}

  Found run() && {
    const std::size_t count = std::min<std::size_t>(m_paths.size(), 32);
    const Set all = count == 32 ? ~Set{0} : (Set{1} << count) - 1;
    if (m_scanner.next() == Token::BeginObject) object(all, 0);
    return std::move(m_found);
  }

 private:
  /// Behind its opening bracket. `wanted` are the paths whose first `level` names led here: it goes
  /// no deeper than the longest path.
  void object(Set wanted, std::size_t level) {
    while (m_scanner.next() == Token::Name) member(m_scanner.inside(), wanted, level);
  }

  void member(std::string_view name, Set wanted, std::size_t level) {
    Set ending = 0;
    Set deeper = 0;
    for (std::size_t i = 0; i < m_paths.size(); ++i) {
      if ((wanted >> i & 1U) == 0 || m_found[i]) continue;
      std::string_view rest = m_paths[i];
      for (std::size_t skipped = 0; skipped < level; ++skipped) {
        rest.remove_prefix(rest.find('.') + 1);
      }
      if (rest == name) ending |= Set{1} << i;
      if (rest.size() > name.size() && rest[name.size()] == '.' && rest.starts_with(name)) {
        deeper |= Set{1} << i;
      }
    }
    const Token token = m_scanner.next();
    const std::size_t begin = m_scanner.begin();
    if (token == Token::BeginObject && deeper != 0) {
      object(deeper, level + 1);
    } else {
      static_cast<void>(m_scanner.rest_of_value(token));
    }
    for (std::size_t i = 0; i < m_paths.size() && ending != 0; ++i) {
      if ((ending >> i & 1U) != 0) {
        m_found[i] = m_json.substr(begin, m_scanner.end() - begin);
      }
    }
  }

  std::string_view m_json;
  SliceScanner m_scanner;
  std::span<const std::string_view> m_paths;
  Found m_found;
};

std::optional<std::string_view> member_at(std::string_view document, std::string_view path) {
  for (const sv name : split(path, '.')) {
    const auto found = direct_member(document, name);
    if (!found) return std::nullopt;
    document = *found;
  }
  return document;
}

}  // namespace

std::vector<std::optional<std::string_view>> json_pick(std::string_view document,
                                                       std::span<const std::string_view> paths) {
  return Picker(document, paths).run();
}

std::optional<std::string_view> json_member(std::string_view document, std::string_view path) {
  for (const sv one : split(path, '|')) {
    if (const auto found = member_at(document, one)) return found;
  }
  return std::nullopt;
}

std::vector<JsonMember> json_members(std::string_view document) {
  std::vector<JsonMember> members;
  SliceScanner scanner(document);
  if (scanner.next() != Token::BeginObject) return members;
  while (scanner.next() == Token::Name) {
    const std::string_view name = scanner.inside();
    members.push_back({name, scanner.value().value_or(std::string_view())});
  }
  return members;
}

std::vector<std::string_view> json_elements(std::string_view document) {
  std::vector<std::string_view> elements;
  SliceScanner scanner(document);
  if (scanner.next() != Token::BeginArray) return elements;
  while (const auto value = scanner.value()) elements.push_back(*value);
  return elements;
}

}  // namespace svc
