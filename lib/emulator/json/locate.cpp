#include "emulator/json/locate.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "emulator/json/json.h"

namespace svc::emulator::text {
namespace {

// Walks a document that is known to be well formed; on anything else it only has to end.
class Walker {
 public:
  explicit Walker(sv text) : m_text(text) {}

  void blanks() {
    while (!done() && (peek() == ' ' || peek() == '\t' || peek() == '\n' || peek() == '\r')) ++m_at;
  }

  // The string at the cursor, with its quotes.
  sv string() {
    const std::size_t begin = m_at++;
    while (!done() && peek() != '"') m_at += peek() == '\\' ? 2 : 1;
    m_at = std::min(m_at + 1, m_text.size());
    return m_text.substr(begin, m_at - begin);
  }

  // Past the value at the cursor, without recursion.
  void value() {
    std::size_t depth = 0;
    do {
      blanks();
      if (done()) return;
      const char c = peek();
      if (c == '"') {
        string();
      } else if (c == '{' || c == '[') {
        ++depth;
        ++m_at;
      } else if (c == '}' || c == ']') {
        depth -= depth > 0 ? 1 : 0;
        ++m_at;
      } else if (c == ',' || c == ':') {
        ++m_at;
      } else {
        scalar();
      }
    } while (depth > 0);
  }

  [[nodiscard]] bool done() const { return m_at >= m_text.size(); }
  [[nodiscard]] char peek() const { return m_text[m_at]; }
  [[nodiscard]] std::size_t at() const { return m_at; }
  void move_to(std::size_t at) { m_at = at; }

 private:
  void scalar() {
    const std::size_t end = m_text.find_first_of(" \t\r\n,:]}", m_at);
    m_at = end == sv::npos ? m_text.size() : std::max(end, m_at + 1);
  }

  sv m_text;
  std::size_t m_at = 0;
};

std::string decode_name(sv quoted) {
  if (quoted.find('\\') == sv::npos) return std::string(quoted.substr(1, quoted.size() - 2));
  const Json name = parse_json(quoted);
  return name.is_string() ? name.get<std::string>() : std::string(quoted);
}

// The begin of the member's value; of several with that name the last, which is the one that
// counts.
std::optional<std::size_t> find_member(Walker walker, const std::string& name) {
  std::optional<std::size_t> found;
  walker.move_to(walker.at() + 1);
  while (true) {
    walker.blanks();
    if (walker.done() || walker.peek() != '"') return found;
    const bool wanted = decode_name(walker.string()) == name;
    walker.blanks();
    walker.move_to(walker.at() + 1);  // the colon
    walker.blanks();
    if (wanted) found = walker.at();
    walker.value();
    walker.blanks();
    if (walker.done() || walker.peek() != ',') return found;
    walker.move_to(walker.at() + 1);
  }
}

std::optional<std::size_t> find_element(Walker walker, std::size_t index) {
  walker.move_to(walker.at() + 1);
  for (std::size_t i = 0;; ++i) {
    walker.blanks();
    if (walker.done() || walker.peek() == ']') return std::nullopt;
    if (i == index) return walker.at();
    walker.value();
    walker.blanks();
    if (walker.done() || walker.peek() != ',') return std::nullopt;
    walker.move_to(walker.at() + 1);
  }
}

std::optional<std::size_t> follow(const Walker& walker, const Step& step) {
  if (walker.done()) return std::nullopt;
  if (const auto* name = std::get_if<std::string>(&step)) {
    return walker.peek() == '{' ? find_member(walker, *name) : std::nullopt;
  }
  return walker.peek() == '[' ? find_element(walker, std::get<std::size_t>(step)) : std::nullopt;
}

}  // namespace

Position locate(sv document, std::span<const Step> path) {
  Walker walker(document);
  walker.blanks();
  for (const Step& step : path) {
    const auto next = follow(walker, step);
    if (!next) break;
    walker.move_to(*next);
  }
  walker.value();
  const sv before = document.substr(0, walker.at());
  Position position;
  position.line = 1 + static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n'));
  const std::size_t line_begin = before.rfind('\n');
  position.column = line_begin == sv::npos ? before.size() : before.size() - line_begin - 1;
  if (position.column == 0) position.column = 1;
  return position;
}

std::string describe_path(std::span<const Step> path) {
  std::string text;
  for (const Step& step : path) {
    if (const auto* name = std::get_if<std::string>(&step)) {
      text += text.empty() ? *name : "." + *name;
    } else {
      text += fmt::format("[{}]", std::get<std::size_t>(step));
    }
  }
  return text.empty() ? "." : text;
}

}  // namespace svc::emulator::text
