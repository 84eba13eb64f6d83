// The JSON tokenizer used by all of lib/json: no recursion, no tree, no copies.
#pragma once

#include <bit>
#include <bitset>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#include "json/text.h"

namespace svc::json_scan {

enum class Token : std::uint8_t {
  BeginObject,
  EndObject,
  BeginArray,
  EndArray,
  Name,  ///< of a field; includes the colon after it
  String,
  Number,
  Literal,  ///< true, false, null
  End,
  Fault,
};

/// What is known about the text.
enum class Input : std::uint8_t {
  Unknown,   ///< checked completely
  AnyBytes,  ///< the same, but strings may be ill-formed UTF-8
  Checked,   ///< accepted by check_json(): only quotes and brackets are inspected
};

/// Properties of a string token's bytes.
struct StringShape {
  bool only_ascii = true;   ///< no bytes from 0x80 on, and no DEL
  bool well_formed = true;  ///< valid UTF-8
  bool escaped = false;     ///< contains a backslash
};

/// The end of the token at `position`, or the position of an error and its reason.
struct TokenEnd {
  std::size_t end = 0;
  const char* reason = nullptr;  ///< if set: an error at `end`
};

[[nodiscard]] TokenEnd scan_string(std::string_view text, std::size_t position, bool strict_utf8,
                                   StringShape& shape) noexcept;
[[nodiscard]] TokenEnd scan_number(std::string_view text, std::size_t position) noexcept;

/// Bytes that end a run of plain text inside a string.
enum class Stop : std::uint8_t {
  Ends,     ///< a quote, a backslash, a control character
  Special,  ///< those, DEL and non-ASCII bytes
};

/// Sets the highest bit of the first of eight bytes that is a stop byte, and possibly of later
/// bytes.
template <Stop k_stop>
[[nodiscard]] constexpr std::uint64_t stops_in(std::uint64_t word) noexcept {
  constexpr std::uint64_t ones = 0x0101'0101'0101'0101U;
  constexpr std::uint64_t highs = 0x8080'8080'8080'8080U;
  const auto zeros = [](std::uint64_t bytes) { return (bytes - ones) & ~bytes; };
  const std::uint64_t ends =
      ((word - ones * 0x20) & ~word) | zeros(word ^ (ones * '"')) | zeros(word ^ (ones * '\\'));
  if constexpr (k_stop == Stop::Ends) return ends & highs;
  return (ends | word | zeros(word ^ (ones * 0x7F))) & highs;
}

template <Stop k_stop>
[[nodiscard]] constexpr bool stops_at(unsigned char byte) noexcept {
  if (byte < 0x20 || byte == '"' || byte == '\\') return true;
  return k_stop == Stop::Special && byte >= 0x7F;
}

/// Compiles to few instructions on any machine with wide registers.
using WideBytes = signed char __attribute__((vector_size(16)));

/// Finds the stop bytes in sixteen bytes: all bits of such a byte are set.
template <Stop k_stop>
[[nodiscard]] inline auto wide_stops(const char* bytes) noexcept {
  WideBytes wide;
  std::memcpy(&wide, bytes, sizeof wide);
  // Signed, so that non-ASCII bytes are less than a space.
  auto stops = (wide < 0x20) | (wide == '"') | (wide == '\\') | (wide == 0x7F);
  if constexpr (k_stop == Stop::Ends) stops &= (wide >= 0) & (wide != 0x7F);
  return stops;
}

[[nodiscard]] inline bool any(WideBytes bytes) noexcept {
  std::uint64_t halves[2];
  std::memcpy(halves, &bytes, sizeof halves);
  return (halves[0] | halves[1]) != 0;
}

/// The position of the first stop byte from `at` on, or the end.
template <Stop k_stop>
[[nodiscard]] std::size_t skip_until(std::string_view text, std::size_t at) noexcept {
  constexpr std::size_t step = 2 * sizeof(WideBytes);
  const std::size_t short_end = at + 2 * sizeof(std::uint64_t);  // the end of most names and values
  for (std::uint64_t word = 0; at + sizeof word <= text.size(); at += sizeof word) {
    if (at == short_end) {
      for (const char* bytes = text.data() + at; at + step <= text.size();
           at += step, bytes += step) {
        if (any(wide_stops<k_stop>(bytes) | wide_stops<k_stop>(bytes + step / 2))) break;
      }
      if (at + sizeof word > text.size()) break;
    }
    std::memcpy(&word, text.data() + at, sizeof word);
    const std::uint64_t stops = stops_in<k_stop>(word);
    if (stops == 0) continue;
    if constexpr (std::endian::native == std::endian::little) {
      return at + static_cast<std::size_t>(std::countr_zero(stops)) / 8;
    }
    break;
  }
  while (at < text.size() && !stops_at<k_stop>(static_cast<unsigned char>(text[at]))) ++at;
  return at;
}

/// The code unit of the escape \uXXXX at `at`, or nothing if there is none.
[[nodiscard]] std::optional<char32_t> code_unit(std::string_view text, std::size_t at) noexcept;

/// Appends the decoded content of a string. Lone surrogates (`\ud800`) become U+FFFD.
void append_decoded(std::string& out, std::string_view inside);

/// Describes the content at `position`: "'x'", "the end of the text", "the control character
/// U+0007".
[[nodiscard]] std::string describe_at(std::string_view text, std::size_t position);

/// The error at `offset` with its line and column.
[[nodiscard]] JsonParseError fault_at(std::string_view text, std::size_t offset,
                                      std::string reason);

/// The token expected next.
enum class Expect : std::uint8_t { Value, FirstValue, Name, FirstName, Colon, Comma, End };
[[nodiscard]] const char* expectation(Expect expect, bool in_object) noexcept;

/// Reads a document token by token. With Input::Checked any text can be read safely, but the tokens
/// are meaningless unless it is JSON.
template <Input k_input>
class Scanner {
 public:
  explicit Scanner(std::string_view text) noexcept
      : m_text(text), m_at(text.starts_with("\xEF\xBB\xBF") ? 3 : 0) {}

  [[nodiscard]] Token next() {
    if constexpr (k_input == Input::Checked) {
      return next_checked();
    } else {
      return next_unknown();
    }
  }

  // The last token.
  [[nodiscard]] std::size_t begin() const noexcept { return m_begin; }
  [[nodiscard]] std::size_t end() const noexcept { return m_end; }
  [[nodiscard]] std::string_view text() const { return {m_text.data() + m_begin, m_end - m_begin}; }
  [[nodiscard]] StringShape shape() const noexcept { return m_shape; }
  /// A name or string without its quotes, escapes not decoded.
  [[nodiscard]] std::string_view inside() const {
    return m_text.substr(m_begin + 1, m_end - m_begin - 2);
  }

  /// The number of whitespace characters skipped so far.
  [[nodiscard]] std::size_t whitespace() const noexcept { return m_whitespace; }

  /// Valid after Token::Fault.
  [[nodiscard]] JsonParseError fault() const {
    if (m_reason != nullptr) return fault_at(m_text, m_at, m_reason);
    return fault_at(m_text, m_at,
                    std::string("expected ") + expectation(m_expect, m_in_object) + ", found " +
                        describe_at(m_text, m_at));
  }

  /// The next complete value of a field or element; nothing at the end of the object or array.
  [[nodiscard]] std::optional<std::string_view> value() requires(k_input == Input::Checked) {
    const Token token = next_checked();
    if (token == Token::EndObject || token == Token::EndArray || token == Token::End) return {};
    return rest_of_value(token);
  }

  /// The complete value that starts with `token`, the last token.
  [[nodiscard]] std::string_view rest_of_value(Token token) requires(k_input == Input::Checked) {
    if (token == Token::BeginObject || token == Token::BeginArray) skip_container();
    return text();
  }

 private:
  static constexpr bool is_whitespace(char c) noexcept {
    return c == ' ' || c == '\n' || c == '\r' || c == '\t';
  }

  void skip_whitespace() noexcept {
    if (m_at < m_text.size() && static_cast<unsigned char>(m_text[m_at]) > ' ') return;
    const std::size_t begin = m_at;
    while (m_at < m_text.size() && is_whitespace(m_text[m_at])) ++m_at;
    m_whitespace += m_at - begin;
  }

  Token accept(Token token, std::size_t end) noexcept {
    m_begin = m_at;
    m_end = m_at = end;
    return token;
  }

  // Input::Unknown and Input::AnyBytes: the text is checked while it is read.

  Token next_unknown() {
    skip_whitespace();
    if (m_at == m_text.size()) return m_expect == Expect::End ? Token::End : Token::Fault;
    if (m_expect == Expect::Comma) {
      const char c = m_text[m_at];
      if (c == (m_in_object ? '}' : ']')) return close();
      if (c != ',') return Token::Fault;
      ++m_at;
      m_expect = m_in_object ? Expect::Name : Expect::Value;
      skip_whitespace();
      if (m_at == m_text.size()) return Token::Fault;
    }
    const char c = m_text[m_at];
    switch (m_expect) {
      case Expect::FirstValue:
        if (c == ']') return close();
        [[fallthrough]];
      case Expect::Value:
        return begin_value(c);
      case Expect::FirstName:
        if (c == '}') return close();
        [[fallthrough]];
      case Expect::Name:
        return c == '"' ? name() : Token::Fault;
      default:
        return Token::Fault;
    }
  }

  Token begin_value(char c) {
    switch (c) {
      case '"':
        return string(Token::String, after_value());
      case '{':
        return open(Token::BeginObject, true);
      case '[':
        return open(Token::BeginArray, false);
      case 't':
        return literal("true");
      case 'f':
        return literal("false");
      case 'n':
        return literal("null");
      default:
        break;
    }
    if (c != '-' && (c < '0' || c > '9')) return Token::Fault;
    const TokenEnd end = scan_number(m_text, m_at);
    if (end.reason != nullptr) return fail(end);
    m_expect = after_value();
    return accept(Token::Number, end.end);
  }

  Token name() {
    if (string(Token::Name, Expect::Colon) == Token::Fault) return Token::Fault;
    skip_whitespace();
    if (m_at == m_text.size() || m_text[m_at] != ':') return Token::Fault;
    ++m_at;
    m_expect = Expect::Value;
    return Token::Name;
  }

  Token string(Token kind, Expect next) {
    m_shape = {};
    m_expect = next;
    const std::size_t stop = skip_until<Stop::Special>(m_text, m_at + 1);
    if (stop < m_text.size() && m_text[stop] == '"') return accept(kind, stop + 1);
    const TokenEnd end = scan_string(m_text, m_at, k_input == Input::Unknown, m_shape);
    return end.reason == nullptr ? accept(kind, end.end) : fail(end);
  }

  Token literal(std::string_view word) {
    // Read the whole word, otherwise "nullx" would be accepted.
    std::size_t end = m_at;
    while (end < m_text.size() && m_text[end] >= 'a' && m_text[end] <= 'z') ++end;
    if (m_text.substr(m_at, end - m_at) != word) return Token::Fault;
    m_expect = after_value();
    return accept(Token::Literal, end);
  }

  Token fail(const TokenEnd& end) noexcept {
    m_at = end.end;
    m_reason = end.reason;
    return Token::Fault;
  }

  Token open(Token token, bool object) {
    if (m_depth == k_max_levels) return fail({m_at, k_too_deep});
    m_objects.set(m_depth++, object);
    m_in_object = object;
    m_expect = object ? Expect::FirstName : Expect::FirstValue;
    return accept(token, m_at + 1);
  }

  Token close() {
    const Token token = m_in_object ? Token::EndObject : Token::EndArray;
    --m_depth;
    m_in_object = m_depth > 0 && m_objects[m_depth - 1];
    m_expect = after_value();
    return accept(token, m_at + 1);
  }

  [[nodiscard]] Expect after_value() const noexcept {
    return m_depth == 0 ? Expect::End : Expect::Comma;
  }

  // Input::Checked: separators between tokens are not inspected.

  Token next_checked() {
    while (m_at < m_text.size() && (is_whitespace(m_text[m_at]) || m_text[m_at] == ',')) ++m_at;
    if (m_at == m_text.size()) return Token::End;
    switch (const char c = m_text[m_at]) {
      case '{':
        return accept(Token::BeginObject, m_at + 1);
      case '}':
        return accept(Token::EndObject, m_at + 1);
      case '[':
        return accept(Token::BeginArray, m_at + 1);
      case ']':
        return accept(Token::EndArray, m_at + 1);
      case '"':
        accept(Token::String, string_end(m_at));
        while (m_at < m_text.size() && is_whitespace(m_text[m_at])) ++m_at;
        if (m_at == m_text.size() || m_text[m_at] != ':') return Token::String;
        ++m_at;
        return Token::Name;
      default: {
        std::size_t end = m_at + 1;
        while (end < m_text.size() && !ends_scalar(m_text[end])) ++end;
        const bool number = c == '-' || (c >= '0' && c <= '9');
        return accept(number ? Token::Number : Token::Literal, end);
      }
    }
  }

  static constexpr bool ends_scalar(char c) noexcept {
    return c == ',' || c == ']' || c == '}' || is_whitespace(c);
  }

  /// Searches from quote to quote. A quote preceded by an odd number of backslashes is part of the
  /// string.
  [[nodiscard]] std::size_t string_end(std::size_t begin) const {
    // Most strings are short and end before a call of find() would even have started.
    constexpr std::size_t near = 32;
    const std::size_t nearby = skip_until<Stop::Ends>(m_text.substr(0, begin + near), begin + 1);
    if (nearby < m_text.size() && m_text[nearby] == '"') return nearby + 1;
    for (std::size_t at = m_text.find('"', nearby); at != std::string_view::npos;
         at = m_text.find('"', at + 1)) {
      std::size_t run = at;
      while (run > begin + 1 && m_text[run - 1] == '\\') --run;
      if ((at - run) % 2 == 0) return at + 1;
    }
    return m_text.size();
  }

  /// Skips from after an opening bracket to after its closing bracket.
  void skip_container() {
    std::size_t depth = 1;
    while (depth > 0 && m_at < m_text.size()) {
      const char c = m_text[m_at];
      if (c == '"') {
        m_at = string_end(m_at);
        continue;
      }
      if (c == '{' || c == '[') ++depth;
      if (c == '}' || c == ']') --depth;
      ++m_at;
    }
    m_end = m_at;
  }

  static constexpr std::size_t k_max_levels = 512;
  static constexpr const char* k_too_deep = "nested deeper than 512 levels";
  static_assert(k_max_levels == static_cast<std::size_t>(k_max_json_depth));

  std::string_view m_text;
  std::size_t m_at;
  std::size_t m_begin = 0;
  std::size_t m_end = 0;
  std::size_t m_whitespace = 0;
  std::size_t m_depth = 0;
  const char* m_reason = nullptr;
  StringShape m_shape{};
  Expect m_expect = Expect::Value;
  bool m_in_object = false;
  std::bitset<k_max_levels> m_objects{};  // per level: object or array
};

}  // namespace svc::json_scan
