#include "json/slices.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/text.h"
#include "json/document.h"
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

bool is_ascii(std::string_view text) noexcept {
  std::uint64_t seen = 0;
  std::size_t at = 0;
  for (std::uint64_t words[4]; at + sizeof words <= text.size(); at += sizeof words) {
    std::memcpy(words, text.data() + at, sizeof words);
    seen |= words[0] | words[1] | words[2] | words[3];
  }
  for (const char c : text.substr(at)) seen |= static_cast<unsigned char>(c);
  return (seen & 0x8080'8080'8080'8080U) == 0;
}

/// Finds several paths at once. A set of paths is a bit mask.
class Picker {
 public:
  using Set = std::uint32_t;
  using Found = std::vector<std::optional<std::string_view>>;

  Picker(std::string_view document, std::span<const std::string_view> paths)
      : m_json(document), m_scanner(document), m_paths(paths), m_found(paths.size()) {}

  Found run() && {
    const std::size_t count = std::min<std::size_t>(m_paths.size(), 32);
    const Set all = count == 32 ? ~Set{0} : (Set{1} << count) - 1;
    if (m_scanner.next() == Token::BeginObject) object(all);
    return std::move(m_found);
  }

 private:
  /// Reads an object after its opening bracket. `wanted` is the set of paths that led here; their
  /// next names start at m_level. Descends no deeper than the longest path.
  void object(Set wanted) {
    while (m_scanner.next() == Token::Name) member(m_scanner.inside(), wanted);
  }

  void member(std::string_view name, Set wanted) {
    Set ending = 0;
    Set deeper = 0;
    for (Set rest = wanted; rest != 0; rest &= rest - 1) {
      const auto i = static_cast<std::size_t>(std::countr_zero(rest));
      const std::string_view path = m_paths[i].substr(m_level);
      if (m_found[i] || path.size() < name.size()) continue;
      const bool ends = path.size() == name.size();
      if ((!ends && path[name.size()] != '.') || !path.starts_with(name)) continue;
      (ends ? ending : deeper) |= Set{1} << i;
    }
    const Token token = m_scanner.next();
    const std::size_t begin = m_scanner.begin();
    if (token == Token::BeginObject && deeper != 0) {
      // Paths that led to the same value are identical up to there.
      m_level += name.size() + 1;
      object(deeper);
      m_level -= name.size() + 1;
    } else {
      static_cast<void>(m_scanner.rest_of_value(token));
    }
    for (; ending != 0; ending &= ending - 1) {
      m_found[static_cast<std::size_t>(std::countr_zero(ending))] =
          m_json.substr(begin, m_scanner.end() - begin);
    }
  }

  std::string_view m_json;
  SliceScanner m_scanner;
  std::size_t m_level = 0;
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

std::string json_string(const std::optional<std::string_view>& slice) {
  if (!slice || !slice->starts_with('"')) return {};
  const std::string_view inside = slice->substr(1, slice->size() - 2);
  if (inside.find('\\') == std::string_view::npos) {
    return is_ascii(inside) ? std::string(inside) : replace_invalid_utf8(inside);
  }
  const auto value = parse_reply(*slice);
  return value.is_string() ? value.get<std::string>() : std::string();
}

}  // namespace svc
