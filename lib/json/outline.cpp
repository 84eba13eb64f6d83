#include "json/outline.h"

#include "json/scanner.h"

namespace svc {
namespace {

using json_scan::StringShape;
using json_scan::Token;

/// Notes what begins and ends at the first two levels; deeper tokens are only counted.
class Outliner {
 public:
  static constexpr bool k_strict_utf8 = false;

  Outliner(std::string_view text, std::string_view list, JsonOutline& outline)
      : m_text(text), m_list(list), m_outline(outline) {}

  void token(Token kind, std::string_view text, StringShape shape) {
    const std::size_t begin = place(text.data());
    if (m_depth == 2 && m_in_list) begin_element(begin);
    m_bytes += text.size();
    m_clean = m_clean && shape.well_formed;
    if (m_depth == 1 && m_is_object) {
      if (kind == Token::Name) {
        m_name = {begin + 1, text.size() - 2};
      } else {
        m_outline.members.push_back({m_name, {begin, text.size()}});
      }
    }
    if (m_depth == 2 && m_in_list) end_element(begin + text.size());
  }

  void open(const char* at) {
    const std::size_t begin = place(at);
    if (m_depth == 0) m_is_object = *at == '{';
    if (m_depth == 1) begin_member(begin, *at);
    if (m_depth == 2 && m_in_list) begin_element(begin);
    ++m_depth;
    ++m_bytes;
  }

  void close(const char* at, bool /*empty*/) {
    const std::size_t end = place(at) + 1;
    --m_depth;
    ++m_bytes;
    if (m_depth == 2 && m_in_list) end_element(end);
    if (m_depth != 1) return;
    m_in_list = false;
    if (m_is_object) m_outline.members.push_back({m_name, {m_member, end - m_member}});
  }

  void comma() noexcept { ++m_bytes; }
  void colon() noexcept { ++m_bytes; }

 private:
  [[nodiscard]] std::size_t place(const char* at) const {
    return static_cast<std::size_t>(at - m_text.data());
  }

  void begin_member(std::size_t begin, char bracket) {
    m_member = begin;
    m_in_list = m_is_object && bracket == '[' && !m_outline.has_list && m_name.of(m_text) == m_list;
    m_outline.has_list = m_outline.has_list || m_in_list;
  }

  void begin_element(std::size_t begin) {
    m_element = begin;
    m_bytes = 0;
    m_clean = true;
  }

  // Blanks between tokens are the bytes that nobody counted.
  void end_element(std::size_t end) {
    const std::size_t size = end - m_element;
    m_outline.elements.push_back({m_element, size, m_clean && m_bytes == size});
  }

  std::string_view m_text;
  std::string_view m_list;
  JsonOutline& m_outline;
  std::size_t m_depth = 0;
  bool m_is_object = false;
  bool m_in_list = false;
  bool m_clean = true;
  JsonPiece m_name{};
  std::size_t m_member = 0;
  std::size_t m_element = 0;
  std::size_t m_bytes = 0;
};

}  // namespace

std::optional<std::string_view> JsonOutline::member(std::string_view text,
                                                    std::string_view name) const {
  for (const Member& one : members) {
    if (one.name.of(text) == name) return one.value.of(text);
  }
  return std::nullopt;
}

std::optional<JsonTextFault> outline_json(std::string_view text, std::string_view list,
                                          JsonOutline& outline) {
  Outliner writer(text, list, outline);
  return json_scan::Scanner<Outliner>(text, writer).run();
}

}  // namespace svc
