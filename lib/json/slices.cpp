#include "json/slices.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "base/text.h"

namespace svc {
namespace {

/// Steps over a checked JSON text. Depth is counted, not recursed into.
class Stepper {
 public:
  explicit Stepper(std::string_view json) : m_json(json) {
    if (m_json.starts_with("\xEF\xBB\xBF")) m_json.remove_prefix(3);
  }

  [[nodiscard]] char peek() {
    while (m_at < m_json.size() && (m_json[m_at] == ' ' || m_json[m_at] == '\n' ||
                                    m_json[m_at] == '\r' || m_json[m_at] == '\t')) {
      ++m_at;
    }
    return m_at < m_json.size() ? m_json[m_at] : '\0';
  }

  void step() { ++m_at; }
  [[nodiscard]] std::size_t at() const noexcept { return m_at; }
  [[nodiscard]] std::string_view since(std::size_t begin) const {
    return m_json.substr(begin, m_at - begin);
  }

  /// The string at this place, quotes excluded, escapes as they stand.
  std::string_view string() {
    const std::size_t begin = ++m_at;
    // From quote to quote, not from byte to byte: one with an odd run of backslashes before it is
    // part of the string.
    for (m_at = m_json.find('"', m_at); m_at < m_json.size(); m_at = m_json.find('"', m_at + 1)) {
      std::size_t run = m_at;
      while (run > begin && m_json[run - 1] == '\\') --run;
      if ((m_at - run) % 2 == 0) break;
    }
    m_at = std::min(m_at, m_json.size());
    return m_json.substr(begin, m_at++ - begin);
  }

  std::string_view value() {
    const char first = peek();
    const std::size_t begin = m_at;
    if (first == '"') {
      string();
    } else if (first == '{' || first == '[') {
      container();
    } else {
      while (m_at < m_json.size() &&
             std::string_view(",]} \n\r\t").find(m_json[m_at]) == std::string_view::npos) {
        ++m_at;
      }
    }
    return since(begin);
  }

 private:
  void container() {
    std::size_t depth = 0;
    do {
      const char c = m_json[m_at];
      if (c == '"') {
        string();
        continue;
      }
      if (c == '{' || c == '[') ++depth;
      if (c == '}' || c == ']') --depth;
      ++m_at;
    } while (depth > 0 && m_at < m_json.size());
  }

  std::string_view m_json;
  std::size_t m_at = 0;
};

std::optional<std::string_view> direct_member(std::string_view json, std::string_view name) {
  Stepper stepper(json);
  if (stepper.peek() != '{') return std::nullopt;
  stepper.step();
  while (stepper.peek() == '"') {
    const bool found = stepper.string() == name;
    if (stepper.peek() != ':') return std::nullopt;
    stepper.step();
    const std::string_view value = stepper.value();
    if (found) return value;
    if (stepper.peek() != ',') return std::nullopt;
    stepper.step();
  }
  return std::nullopt;
}

/// Looks for several paths at a time. A set of them is a bit each.
class Picker {
 public:
  using Set = std::uint32_t;
  using Found = std::vector<std::optional<std::string_view>>;

  Picker(std::string_view json, std::span<const std::string_view> paths)
      : m_stepper(json), m_paths(paths), m_found(paths.size()) {}

  Found run() && {
    const std::size_t count = std::min<std::size_t>(m_paths.size(), 32);
    const Set all = count == 32 ? ~Set{0} : (Set{1} << count) - 1;
    if (m_stepper.peek() == '{') object(all, 0);
    return std::move(m_found);
  }

 private:
  /// `wanted` are the paths whose first `level` names led here.
  void object(Set wanted, std::size_t level) {
    m_stepper.step();
    while (m_stepper.peek() == '"') {
      const std::string_view name = m_stepper.string();
      if (m_stepper.peek() != ':') return;
      m_stepper.step();
      member(name, wanted, level);
      if (m_stepper.peek() != ',') break;
      m_stepper.step();
    }
    if (m_stepper.peek() == '}') m_stepper.step();
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
    const bool descends = m_stepper.peek() == '{' && deeper != 0;
    const std::size_t begin = m_stepper.at();
    if (descends) {
      object(deeper, level + 1);
    } else {
      m_stepper.value();
    }
    for (std::size_t i = 0; i < m_paths.size() && ending != 0; ++i) {
      if ((ending >> i & 1U) != 0) m_found[i] = m_stepper.since(begin);
    }
  }

  Stepper m_stepper;
  std::span<const std::string_view> m_paths;
  Found m_found;
};

std::optional<std::string_view> member_at(std::string_view json, std::string_view path) {
  for (const sv name : split(path, '.')) {
    const auto found = direct_member(json, name);
    if (!found) return std::nullopt;
    json = *found;
  }
  return json;
}

}  // namespace

std::vector<std::optional<std::string_view>> json_pick(std::string_view json,
                                                       std::span<const std::string_view> paths) {
  return Picker(json, paths).run();
}

std::optional<std::string_view> json_member(std::string_view json, std::string_view path) {
  for (const sv one : split(path, '|')) {
    if (const auto found = member_at(json, one)) return found;
  }
  return std::nullopt;
}

std::vector<JsonMember> json_members(std::string_view json) {
  std::vector<JsonMember> members;
  Stepper stepper(json);
  if (stepper.peek() != '{') return members;
  stepper.step();
  while (stepper.peek() == '"') {
    const std::string_view name = stepper.string();
    if (stepper.peek() != ':') break;
    stepper.step();
    members.push_back({name, stepper.value()});
    if (stepper.peek() != ',') break;
    stepper.step();
  }
  return members;
}

std::vector<std::string_view> json_elements(std::string_view json) {
  std::vector<std::string_view> elements;
  Stepper stepper(json);
  if (stepper.peek() != '[') return elements;
  stepper.step();
  while (stepper.peek() != ']' && stepper.peek() != '\0') {
    elements.push_back(stepper.value());
    if (stepper.peek() != ',') break;
    stepper.step();
  }
  return elements;
}

}  // namespace svc
