#include "json/reader.h"

namespace svc::print {

using json_scan::Token;

JsonToken JsonReader::next() {
  const Token token = m_scanner.next();
  switch (token) {
    case Token::BeginObject:
      return JsonToken::BeginObject;
    case Token::EndObject:
      return JsonToken::EndObject;
    case Token::BeginArray:
      return JsonToken::BeginArray;
    case Token::EndArray:
      return JsonToken::EndArray;
    case Token::Name:
    case Token::String:
      m_text.clear();
      json_scan::append_decoded(m_text, m_scanner.inside());
      return token == Token::Name ? JsonToken::Name : JsonToken::String;
    case Token::Number:
    case Token::Literal:
      m_text = m_scanner.text();
      return m_text == "null" ? JsonToken::Null : JsonToken::Literal;
    case Token::End:
    case Token::Fault:
      break;
  }
  return JsonToken::End;
}

}  // namespace svc::print
