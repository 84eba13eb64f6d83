// The JSON grammar as one loop over the text: no recursion, no tree, nothing copied.
#pragma once

#include <array>
#include <bitset>
#include <optional>
#include <string>
#include <string_view>

#include "base/utf8.h"
#include "json/text.h"

namespace svc::json_scan {

enum class Token : std::uint8_t { Name, String, Number, Literal };

/// A string token, as the bytes of the text.
struct StringShape {
  bool only_ascii = true;   ///< neither bytes from 0x80 on nor DEL
  bool well_formed = true;  ///< all of it is UTF-8
};

/// Length of the token at `position`, or where and why it is none.
struct TokenEnd {
  std::size_t end = 0;
  const char* reason = nullptr;  ///< set: a fault at `end`
};

[[nodiscard]] TokenEnd scan_string(std::string_view text, std::size_t position, bool strict_utf8,
                                   StringShape& shape) noexcept;
[[nodiscard]] TokenEnd scan_number(std::string_view text, std::size_t position) noexcept;

/// "'x'", "the end of the text", "the control character U+0007": what stands at `position`.
[[nodiscard]] std::string found_at(std::string_view text, std::size_t position);

/// The fault at `offset` with its line and column.
[[nodiscard]] JsonTextFault fault_at(std::string_view text, std::size_t offset, std::string reason);

/// Reads one document and tells `writer` of every token as soon as it is known to be whole.
/// The writer has `token(Token, text, StringShape)`, `open(at)` and `close(at, bool empty)`, where
/// `at` points to the bracket, `comma()` and `colon()`, and a constant `k_strict_utf8`.
template <typename Writer>
class Scanner {
 public:
  Scanner(std::string_view text, Writer& writer) noexcept : m_text(text), m_writer(writer) {}

  [[nodiscard]] std::optional<JsonTextFault> run() {
    if (m_text.starts_with("\xEF\xBB\xBF")) m_at = 3;
    for (;;) {
      skip_blank();
      if (m_at == m_text.size()) {
        if (m_expect == Expect::End) return std::nullopt;
        return expected();
      }
      if (auto fault = step(m_text[m_at])) return fault;
    }
  }

 private:
  enum class Expect : std::uint8_t { Value, FirstValue, Name, FirstName, Colon, Comma, End };

  void skip_blank() noexcept {
    while (m_at < m_text.size()) {
      const char c = m_text[m_at];
      if (c != ' ' && c != '\n' && c != '\r' && c != '\t') return;
      ++m_at;
    }
  }

  std::optional<JsonTextFault> step(char c) {
    switch (m_expect) {
      case Expect::FirstValue:
        if (c == ']') return close(true);
        [[fallthrough]];
      case Expect::Value:
        return value(c);
      case Expect::FirstName:
        if (c == '}') return close(true);
        [[fallthrough]];
      case Expect::Name:
        if (c != '"') return expected();
        return string(Token::Name, Expect::Colon);
      case Expect::Colon:
        if (c != ':') return expected();
        ++m_at;
        m_writer.colon();
        m_expect = Expect::Value;
        return std::nullopt;
      case Expect::Comma:
        if (c == (in_object() ? '}' : ']')) return close(false);
        if (c != ',') return expected();
        ++m_at;
        m_writer.comma();
        m_expect = in_object() ? Expect::Name : Expect::Value;
        return std::nullopt;
      case Expect::End:
        break;
    }
    return expected();
  }

  std::optional<JsonTextFault> value(char c) {
    switch (c) {
      case '"':
        return string(Token::String, after_value());
      case '{':
      case '[':
        return open(c);
      case 't':
        return literal("true");
      case 'f':
        return literal("false");
      case 'n':
        return literal("null");
      default:
        break;
    }
    if (c != '-' && (c < '0' || c > '9')) return expected();
    return take(Token::Number, scan_number(m_text, m_at), {}, after_value());
  }

  std::optional<JsonTextFault> string(Token kind, Expect next) {
    StringShape shape;
    const TokenEnd end = scan_string(m_text, m_at, Writer::k_strict_utf8, shape);
    return take(kind, end, shape, next);
  }

  std::optional<JsonTextFault> literal(std::string_view word) {
    // Byte by byte would accept "nullx": what follows a word is checked with it.
    std::size_t end = m_at;
    while (end < m_text.size() && m_text[end] >= 'a' && m_text[end] <= 'z') ++end;
    if (m_text.substr(m_at, end - m_at) != word) return expected();
    return take(Token::Literal, {end, nullptr}, {}, after_value());
  }

  std::optional<JsonTextFault> take(Token kind, TokenEnd end, StringShape shape, Expect next) {
    if (end.reason != nullptr) return fault_at(m_text, end.end, end.reason);
    m_writer.token(kind, m_text.substr(m_at, end.end - m_at), shape);
    m_at = end.end;
    m_expect = next;
    return std::nullopt;
  }

  std::optional<JsonTextFault> open(char c) {
    if (m_depth == static_cast<std::size_t>(k_max_json_depth)) {
      return fault_at(m_text, m_at,
                      "nested deeper than " + std::to_string(k_max_json_depth) + " levels");
    }
    m_objects.set(m_depth++, c == '{');
    m_writer.open(m_text.data() + m_at++);
    m_expect = c == '{' ? Expect::FirstName : Expect::FirstValue;
    return std::nullopt;
  }

  std::optional<JsonTextFault> close(bool empty) {
    --m_depth;
    m_writer.close(m_text.data() + m_at++, empty);
    m_expect = after_value();
    return std::nullopt;
  }

  [[nodiscard]] bool in_object() const noexcept { return m_objects[m_depth - 1]; }
  [[nodiscard]] Expect after_value() const noexcept {
    return m_depth == 0 ? Expect::End : Expect::Comma;
  }

  [[nodiscard]] JsonTextFault expected() const {
    return fault_at(m_text, m_at,
                    std::string("expected ") + expectation() + ", found " + found_at(m_text, m_at));
  }

  [[nodiscard]] const char* expectation() const noexcept {
    switch (m_expect) {
      case Expect::Value:
        return "a value";
      case Expect::FirstValue:
        return "a value or ']'";
      case Expect::Name:
        return "a name in double quotes";
      case Expect::FirstName:
        return "a name in double quotes or '}'";
      case Expect::Colon:
        return "':' after the name";
      case Expect::Comma:
        return in_object() ? "',' or '}'" : "',' or ']'";
      case Expect::End:
        break;
    }
    return "the end of the text";
  }

  std::string_view m_text;
  Writer& m_writer;
  std::size_t m_at = 0;
  Expect m_expect = Expect::Value;
  std::size_t m_depth = 0;
  std::bitset<static_cast<std::size_t>(k_max_json_depth)> m_objects{};  // else arrays, per level
};

}  // namespace svc::json_scan
