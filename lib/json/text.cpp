#include "json/text.h"

#include <algorithm>

#include "base/text.h"
#include "base/visible.h"
#include "json/scanner.h"

namespace svc {
namespace {

using json_scan::StringShape;
using json_scan::Token;

constexpr std::size_t k_chunk = 16U << 10U;

void append_unicode_escape(std::string& out, char32_t code_point) {
  constexpr sv digits = "0123456789abcdef";
  const auto unit = [&](char32_t value) {
    out += "\\u";
    for (unsigned shift = 16; shift > 0; shift -= 4) out += digits[(value >> (shift - 4)) & 0xFU];
  };
  if (code_point < 0x10000) return unit(code_point);
  const char32_t offset = code_point - 0x10000;
  unit(0xD800 + (offset >> 10U));
  unit(0xDC00 + (offset & 0x3FFU));
}

class Silent {
 public:
  static constexpr bool k_strict_utf8 = true;
  void token(Token /*kind*/, sv /*text*/, StringShape /*shape*/) noexcept {}
  void open(const char* /*at*/) noexcept {}
  void close(const char* /*at*/, bool /*empty*/) noexcept {}
  void comma() noexcept {}
  void colon() noexcept {}
};

class LayoutWriter {
 public:
  static constexpr bool k_strict_utf8 = false;

  /// `size` is that of the text: a line of a stream needs no more room than it has itself.
  LayoutWriter(const JsonStyle& style, const TextSink& sink, std::size_t size)
      : m_pretty(style.layout == JsonLayout::Pretty), m_style(style), m_sink(sink) {
    m_out.reserve(std::min(size, k_chunk) + 256);
  }

  void token(Token kind, sv text, StringShape shape) {
    before_value();
    if (m_style.color) put(color_of(kind));
    if (shape.only_ascii) {
      put(text);
    } else {
      put_cleaned(text);
    }
    if (m_style.color) put("\x1b[0m");
  }

  void open(const char* at) {
    before_value();
    put(*at);
    ++m_depth;
    m_fresh = true;
  }

  void close(const char* at, bool empty) {
    --m_depth;
    m_fresh = false;
    if (!empty) new_line();
    put(*at);
  }

  void comma() {
    put(',');
    m_fresh = true;
  }

  void colon() { put(m_pretty ? sv(": ") : sv(":")); }

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
      case Token::Literal:
        break;
    }
    return "\x1b[33m";
  }

  // Each element stands on a line of its own; a value after its name does not.
  void before_value() {
    if (m_fresh) new_line();
    m_fresh = false;
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
    // What is large goes straight through, so that the buffer stays small.
    if (text.size() >= k_chunk) {
      flush();
      m_sink(text);
      return;
    }
    m_out += text;
    if (m_out.size() >= k_chunk) flush();
  }

  // A string token that holds DEL or bytes beyond ASCII.
  void put_cleaned(sv token) {
    std::size_t clean = 0;  // everything before is written
    for (std::size_t at = 0; at < token.size();) {
      const utf8::Step step = utf8::step(token, at);
      const bool hidden = m_style.escape_controls &&
                          (step.code_point == 0x7F || is_hidden_code_point(step.code_point));
      const bool bad = step.form != utf8::Form::Good;
      if (bad || hidden) {
        put(token.substr(clean, at - clean));
        std::string instead;
        if (bad) {
          append_utf8(instead, utf8::k_replacement);
        } else {
          append_unicode_escape(instead, step.code_point);
        }
        put(sv(instead));
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
  bool m_fresh = false;  // just after an opening bracket or a comma
};

}  // namespace

std::optional<JsonTextFault> check_json(std::string_view text) {
  Silent writer;
  return json_scan::Scanner<Silent>(text, writer).run();
}

std::optional<JsonTextFault> reformat_json(std::string_view text, const JsonStyle& style,
                                           const TextSink& sink) {
  LayoutWriter writer(style, sink, text.size());
  auto fault = json_scan::Scanner<LayoutWriter>(text, writer).run();
  writer.flush();
  return fault;
}

std::string describe(const JsonTextFault& fault) {
  return "line " + std::to_string(fault.line) + ", column " + std::to_string(fault.column) + ": " +
         fault.reason;
}

std::string json_quote(std::string_view text) {
  std::string out = "\"";
  out.reserve(text.size() + 2);
  for (std::size_t at = 0; at < text.size();) {
    const utf8::Step step = utf8::step(text, at);
    at += step.length;
    switch (step.code_point) {
      case '"':
        out += "\\\"";
        continue;
      case '\\':
        out += "\\\\";
        continue;
      case '\n':
        out += "\\n";
        continue;
      case '\r':
        out += "\\r";
        continue;
      case '\t':
        out += "\\t";
        continue;
      case '\b':
        out += "\\b";
        continue;
      case '\f':
        out += "\\f";
        continue;
      default:
        break;
    }
    if (step.code_point < 0x20) {
      append_unicode_escape(out, step.code_point);
    } else {
      append_utf8(out, step.code_point);
    }
  }
  return out + '"';
}

}  // namespace svc
