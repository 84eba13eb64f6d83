#include "json/reader.h"

#include <algorithm>

#include "base/text.h"

namespace svc::print {
namespace {

constexpr sv k_blanks = " \t\r\n";
constexpr char32_t k_replacement = 0xfffd;

constexpr bool is_high_surrogate(char32_t unit) {
  return unit >= 0xd800 && unit < 0xdc00;
}
constexpr bool is_low_surrogate(char32_t unit) {
  return unit >= 0xdc00 && unit < 0xe000;
}

char32_t hex_digit(char c) {
  if (c >= '0' && c <= '9') return static_cast<char32_t>(c - '0');
  const char lower = static_cast<char>(c | 0x20);
  return lower >= 'a' && lower <= 'f' ? static_cast<char32_t>(lower - 'a' + 10) : 0;
}

char escaped(char c) {
  switch (c) {
    case 'b':
      return '\b';
    case 'f':
      return '\f';
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 't':
      return '\t';
    default:
      return c;
  }
}

}  // namespace

JsonReader::JsonReader(sv json) : m_json(json) {
  constexpr sv k_byte_order_mark = "\xef\xbb\xbf";
  if (json.starts_with(k_byte_order_mark)) m_at = k_byte_order_mark.size();
}

void JsonReader::skip(sv characters) {
  m_at = std::min(m_json.find_first_not_of(characters, m_at), m_json.size());
}

JsonToken JsonReader::next() {
  skip(" \t\r\n,");
  if (m_at >= m_json.size()) return JsonToken::End;
  switch (m_json[m_at]) {
    case '{':
      ++m_at;
      return JsonToken::BeginObject;
    case '}':
      ++m_at;
      return JsonToken::EndObject;
    case '[':
      ++m_at;
      return JsonToken::BeginArray;
    case ']':
      ++m_at;
      return JsonToken::EndArray;
    case '"':
      break;
    default: {
      const std::size_t end = std::min(m_json.find_first_of(",]} \t\r\n", m_at), m_json.size());
      m_text = m_json.substr(m_at, end - m_at);
      m_at = end;
      return m_text == "null" ? JsonToken::Null : JsonToken::Literal;
    }
  }
  read_string();
  skip(k_blanks);
  if (m_at >= m_json.size() || m_json[m_at] != ':') return JsonToken::String;
  ++m_at;
  return JsonToken::Name;
}

void JsonReader::read_string() {
  m_text.clear();
  ++m_at;
  while (m_at < m_json.size()) {
    const std::size_t end = std::min(m_json.find_first_of("\"\\", m_at), m_json.size());
    m_text += m_json.substr(m_at, end - m_at);
    m_at = end + 1;
    if (end >= m_json.size() || m_json[end] == '"') return;
    read_escape();
  }
}

/// Stands behind a backslash.
void JsonReader::read_escape() {
  if (m_at >= m_json.size()) return;
  const char kind = m_json[m_at++];
  if (kind != 'u') {
    m_text += escaped(kind);
    return;
  }
  const char32_t unit = read_code_unit();
  if (!is_high_surrogate(unit)) {
    append_utf8(m_text, is_low_surrogate(unit) ? k_replacement : unit);
    return;
  }
  const std::size_t behind = m_at;
  if (m_json.substr(m_at).starts_with("\\u")) {
    m_at += 2;
    if (const char32_t low = read_code_unit(); is_low_surrogate(low)) {
      append_utf8(m_text, 0x10000 + ((unit - 0xd800) << 10U) + (low - 0xdc00));
      return;
    }
  }
  m_at = behind;
  append_utf8(m_text, k_replacement);
}

char32_t JsonReader::read_code_unit() {
  char32_t unit = 0;
  for (int digit = 0; digit < 4 && m_at < m_json.size(); ++digit) {
    unit = unit << 4U | hex_digit(m_json[m_at++]);
  }
  return unit;
}

}  // namespace svc::print
