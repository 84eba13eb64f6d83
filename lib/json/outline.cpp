#include "json/outline.h"

#include "json/scanner.h"

namespace svc {
namespace {

using json_scan::Token;

/// Records the start and end of values on the first two levels; deeper tokens are only counted.
class OutlineBuilder {
 public:
  OutlineBuilder(std::string_view text, std::string_view list, JsonOutline& outline)
      : m_text(text), m_list(list), m_outline(outline), m_scanner(text) {}

  std::optional<JsonParseError> run() {
    for (;;) {
      switch (const Token token = m_scanner.next()) {
        case Token::BeginObject:
        case Token::BeginArray:
          open(token);
          break;
        case Token::EndObject:
        case Token::EndArray:
          close();
          break;
        case Token::End:
          return std::nullopt;
        case Token::Fault:
          return m_scanner.fault();
        default:
          scalar(token);
      }
    }
  }

 private:
  void scalar(Token token) {
    if (m_depth == 2 && m_in_list) begin_element();
    if (token == Token::Name || token == Token::String) {
      m_clean = m_clean && m_scanner.shape().well_formed;
    }
    if (m_depth == 1 && m_is_object) {
      if (token == Token::Name) {
        m_name = {m_scanner.begin() + 1, m_scanner.inside().size()};
      } else {
        m_outline.members.push_back({m_name, {m_scanner.begin(), m_scanner.text().size()}});
      }
    }
    if (m_depth == 2 && m_in_list) end_element();
  }

  void open(Token token) {
    if (m_depth == 0) m_is_object = token == Token::BeginObject;
    if (m_depth == 1) begin_member(token);
    if (m_depth == 2 && m_in_list) begin_element();
    ++m_depth;
  }

  void close() {
    --m_depth;
    if (m_depth == 2 && m_in_list) end_element();
    if (m_depth != 1) return;
    m_in_list = false;
    if (m_is_object) m_outline.members.push_back({m_name, {m_member, m_scanner.end() - m_member}});
  }

  void begin_member(Token token) {
    m_member = m_scanner.begin();
    m_in_list = m_is_object && token == Token::BeginArray && !m_outline.has_list &&
                m_name.of(m_text) == m_list;
    m_outline.has_list = m_outline.has_list || m_in_list;
  }

  void begin_element() {
    m_element = m_scanner.begin();
    m_whitespace = m_scanner.whitespace();
    m_clean = true;
  }

  void end_element() {
    m_outline.elements.push_back({m_element, m_scanner.end() - m_element,
                                  m_clean && m_whitespace == m_scanner.whitespace()});
  }

  std::string_view m_text;
  std::string_view m_list;
  JsonOutline& m_outline;
  json_scan::Scanner<json_scan::Input::AnyBytes> m_scanner;
  std::size_t m_depth = 0;
  bool m_is_object = false;
  bool m_in_list = false;
  bool m_clean = true;
  JsonSpan m_name{};
  std::size_t m_member = 0;
  std::size_t m_element = 0;
  std::size_t m_whitespace = 0;
};

}  // namespace

std::optional<std::string_view> JsonOutline::member(std::string_view text,
                                                    std::string_view name) const {
  for (const Member& one : members) {
    if (one.name.of(text) == name) return one.value.of(text);
  }
  return std::nullopt;
}

std::optional<JsonParseError> outline_json(std::string_view text, std::string_view list,
                                           JsonOutline& outline) {
  return OutlineBuilder(text, list, outline).run();
}

}  // namespace svc
