#include "json/text.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "base/utf8.h"
#include "base/visible.h"
#include "json/scanner.h"

namespace svc {
namespace {

using json_scan::Input;
using json_scan::Token;

constexpr std::size_t k_chunk = 16U << 10U;

void append_unicode_escape(std::string& out, char32_t code_point) {
  const auto unit = [&](char32_t value) {
    out += fmt::format("\\u{:04x}", static_cast<std::uint32_t>(value));
  };
  if (code_point < 0x10000) return unit(code_point);
  const char32_t offset = code_point - 0x10000;
  unit(0xD800 + (offset >> 10U));
  unit(0xDC00 + (offset & 0x3FFU));
}

/// Formats tokens as text.
class LayoutWriter {
 public:
  /// `size` is the size of the text: a buffer for one line of a stream need not be larger.
  LayoutWriter(const JsonStyle& style, const TextSink& sink, std::size_t size)
      : m_pretty(style.layout == JsonLayout::Pretty), m_style(style), m_sink(sink) {
    m_out.reserve(std::min(size, k_chunk) + 256);
  }

  void scalar(Token kind, sv text, bool only_ascii) {
    before_token();
    if (m_style.color) put(color_of(kind));
    if (only_ascii) {
      put(text);
    } else {
      put_sanitized(text);
    }
    if (m_style.color) put("\x1b[0m");
    if (kind != Token::Name) return;
    put(m_pretty ? sv(": ") : sv(":"));
    m_state = State::AfterName;
  }

  void open(char bracket) {
    before_token();
    put(bracket);
    ++m_depth;
    m_state = State::First;
  }

  void close(char bracket) {
    --m_depth;
    if (m_state != State::First) new_line();
    put(bracket);
    m_state = State::Next;
  }

  void flush() {
    if (!m_out.empty()) m_sink(m_out);
    m_out.clear();
  }

 private:
  static sv color_of(Token kind) noexcept {
    switch (kind) {
      case Token::Name:
        return "\x1b[34;1m";
      case Token::String:
        return "\x1b[32m";
      case Token::Number:
        return "\x1b[36m";
      default:
        return "\x1b[33m";
    }
  }

  enum class State : std::uint8_t { Begin, First, Next, AfterName };

  // Each element is on its own line; a value follows its name.
  void before_token() {
    if (m_state == State::Next) put(',');
    if (m_state == State::Next || m_state == State::First) new_line();
    m_state = State::Next;
  }

  void new_line() {
    if (!m_pretty) return;
    put('\n');
    for (std::size_t i = 0; i < m_depth; ++i) put("  ");
  }

  void put(char c) {
    m_out += c;
    if (m_out.size() >= k_chunk) flush();
  }

  void put(sv text) {
    // Large data bypasses the buffer, which stays small.
    if (text.size() >= k_chunk) {
      flush();
      m_sink(text);
      return;
    }
    m_out += text;
    if (m_out.size() >= k_chunk) flush();
  }

  // Writes a string token with DEL or non-ASCII bytes.
  void put_sanitized(sv token) {
    std::size_t clean = 0;  // everything before this position has been written
    for (std::size_t at = 0; at < token.size();) {
      const utf8::Step step = utf8::step(token, at);
      const bool hidden = m_style.escape_controls &&
                          (step.code_point == 0x7F || is_hidden_code_point(step.code_point));
      const bool bad = step.validity != utf8::Validity::Valid;
      if (bad || hidden) {
        put(token.substr(clean, at - clean));
        std::string replacement;
        if (bad) {
          append_utf8(replacement, utf8::k_replacement);
        } else {
          append_unicode_escape(replacement, step.code_point);
        }
        put(sv(replacement));
        clean = at + step.length;
      }
      at += step.length;
    }
    put(token.substr(clean));
  }

  bool m_pretty;
  JsonStyle m_style;
  const TextSink& m_sink;
  std::string m_out{};
  std::size_t m_depth = 0;
  State m_state = State::Begin;
};

}  // namespace

std::optional<JsonParseError> check_json(std::string_view text) {
  json_scan::Scanner<Input::Unknown> scanner(text);
  for (;;) {
    const Token token = scanner.next();
    if (token == Token::End) return std::nullopt;
    if (token == Token::Fault) return scanner.fault();
  }
}

std::optional<JsonParseError> reformat_json(std::string_view text, const JsonStyle& style,
                                            const TextSink& sink) {
  LayoutWriter writer(style, sink, text.size());
  json_scan::Scanner<Input::AnyBytes> scanner(text);
  for (;;) {
    switch (const Token token = scanner.next()) {
      case Token::BeginObject:
      case Token::BeginArray:
        writer.open(text[scanner.begin()]);
        break;
      case Token::EndObject:
      case Token::EndArray:
        writer.close(text[scanner.begin()]);
        break;
      case Token::Name:
      case Token::String:
        writer.scalar(token, scanner.text(), scanner.shape().only_ascii);
        break;
      case Token::Number:
      case Token::Literal:
        writer.scalar(token, scanner.text(), true);
        break;
      case Token::End:
        writer.flush();
        return std::nullopt;
      case Token::Fault:
        writer.flush();
        return scanner.fault();
    }
  }
}

std::string describe(const JsonParseError& fault) {
  return "line " + std::to_string(fault.line) + ", column " + std::to_string(fault.column) + ": " +
         fault.reason;
}

std::string json_quote(std::string_view text) {
  std::string out = "\"";
  out.reserve(text.size() + 2);
  for (std::size_t at = 0;;) {
    const std::size_t plain = at;
    at = json_scan::skip_until<json_scan::Stop::Special>(text, at);
    out += text.substr(plain, at - plain);
    if (at == text.size()) break;
    const utf8::Step step = utf8::step(text, at);
    at += step.length;
    constexpr sv k_escaped = "\"\\\n\r\t\b\f";
    constexpr sv k_names = "\"\\nrtbf";
    const std::size_t named =
        step.code_point < 0x80 ? k_escaped.find(static_cast<char>(step.code_point)) : sv::npos;
    if (named != sv::npos) {
      (out += '\\') += k_names[named];
    } else if (step.code_point < 0x20) {
      append_unicode_escape(out, step.code_point);
    } else {
      append_utf8(out, step.code_point);
    }
  }
  out += '"';
  return out;
}

std::string json_rpc_request(sv id, sv method, sv params) {
  return fmt::format(R"({{"jsonrpc":"2.0","id":{},"method":{}{}{}}})", id, json_quote(method),
                     params.empty() ? "" : ",\"params\":", params);
}

}  // namespace svc
