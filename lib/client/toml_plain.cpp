#include "client/toml_plain.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"

namespace svc {
namespace {

bool is_foreign(char c) {
  return static_cast<unsigned char>(c) >= 0x80;
}

class PlainWriter {
 public:
  explicit PlainWriter(std::string_view given)
      : m_given(given), m_invalid(first_invalid_utf8(given).value_or(given.size())) {}

  PlainToml run() && {
    constexpr std::string_view k_mark = "\xef\xbb\xbf";
    if (m_given.starts_with(k_mark)) m_at = k_mark.size();
    while (m_at < m_given.size() && !m_plain.fault) {
      const char c = m_given[m_at];
      if (is_foreign(c)) {
        fail("stands outside of quotes");
      } else if (c == '#') {
        put_comment(std::min(m_given.find('\n', m_at), m_given.size()));
      } else if (c == '"' || c == '\'') {
        put_string(string_end());
      } else {
        copy();
      }
    }
    return std::move(m_plain);
  }

 private:
  void fail(const char* what) {
    std::size_t end = m_at;
    (void)decode_utf8(m_given, end);
    m_plain.fault = PlainToml::Fault{m_at, end, what};
  }

  void put(std::string_view bytes) {
    m_plain.text += bytes;
    m_plain.origin.insert(m_plain.origin.end(), bytes.size(), m_at);
  }

  void copy() {
    put(m_given.substr(m_at, 1));
    ++m_at;
  }

  /// Puts `form(character)` for the character that is next.
  template <typename Form>
  void replace(const Form& form) {
    if (m_at >= m_invalid) return fail("is not UTF-8");
    std::size_t behind = m_at;
    put(form(decode_utf8(m_given, behind)));
    m_at = behind;
  }

  void put_comment(std::size_t end) {
    while (m_at < end && !m_plain.fault) {
      if (is_foreign(m_given[m_at])) {
        replace([](char32_t) { return ""; });
      } else {
        copy();
      }
    }
  }

  /// The quotes that the string here begins with: one, or three where it may have several lines.
  [[nodiscard]] std::string_view mark() const {
    const std::string_view three = m_given.substr(m_at, 3);
    return three == R"(""")" || three == "'''" ? three : three.substr(0, 1);
  }

  /// Behind the string that begins here: its end, or the end of its line where it must have one.
  [[nodiscard]] std::size_t string_end() const {
    const std::string_view mark = this->mark();
    for (std::size_t at = m_at + mark.size(); at < m_given.size(); ++at) {
      if (mark[0] == '"' && m_given[at] == '\\') {
        ++at;
      } else if (m_given.substr(at).starts_with(mark)) {
        at += mark.size();
        // Before the three that end it, two more may stand.
        const std::size_t last = mark.size() == 3 ? std::min(at + 2, m_given.size()) : at;
        while (at < last && m_given[at] == mark[0]) ++at;
        return at;
      } else if (mark.size() == 1 && m_given[at] == '\n') {
        return at;
      }
    }
    return m_given.size();
  }

  void put_string(std::size_t end) {
    const std::string_view text = m_given.substr(m_at, end - m_at);
    if (std::none_of(text.begin(), text.end(), is_foreign)) {
      while (m_at < end) copy();
    } else if (text[0] == '"') {
      put_escaped(end);
    } else {
      put_literal(end);
    }
  }

  void put_escape() {
    replace([](char32_t c) {
      const auto number = static_cast<std::uint32_t>(c);
      return number > 0xFFFF ? fmt::format("\\U{:08X}", number) : fmt::format("\\u{:04X}", number);
    });
  }

  void put_escaped(std::size_t end) {
    while (m_at < end && !m_plain.fault) {
      const bool escapes = m_given[m_at] == '\\' && m_at + 1 < end;
      if (escapes && is_foreign(m_given[m_at + 1])) {
        fail("begins no escape that TOML has");
      } else if (is_foreign(m_given[m_at])) {
        put_escape();
      } else {
        copy();
        if (escapes) copy();
      }
    }
  }

  /// A literal string has no escapes: another one says the same.
  void put_literal(std::size_t end) {
    const std::string_view mark = this->mark();
    const std::string_view text = m_given.substr(m_at, end - m_at);
    const bool closed = text.size() >= 2 * mark.size() && text.ends_with(mark);
    const std::size_t inner_end = closed ? end - mark.size() : end;
    for (std::size_t i = 0; i < mark.size(); ++i, ++m_at) put("\"");
    while (m_at < inner_end && !m_plain.fault) {
      const char c = m_given[m_at];
      if (is_foreign(c)) {
        put_escape();
      } else {
        if (c == '"' || c == '\\') put("\\");
        copy();
      }
    }
    for (; m_at < end && !m_plain.fault; ++m_at) put("\"");
  }

  std::string_view m_given;
  std::size_t m_invalid;
  std::size_t m_at = 0;
  PlainToml m_plain{};
};

}  // namespace

PlainToml plain_toml(std::string_view given) {
  if (std::none_of(given.begin(), given.end(), is_foreign)) return {.text = std::string(given)};
  return PlainWriter(given).run();
}

TomlPlace place_of(std::string_view text, std::size_t at) {
  const std::string_view before = text.substr(0, at);
  const std::size_t begin = before.rfind('\n') + 1;  // npos + 1 is 0
  return {static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n')) + 1,
          count_code_points(before.substr(begin)) + 1};
}

TomlPlace given_place(const PlainToml& plain, std::string_view given, TomlPlace place) {
  if (plain.origin.empty()) return place;
  std::size_t at = 0;
  for (std::size_t line = 1; line < place.line; ++line) at = plain.text.find('\n', at) + 1;
  at += place.column - 1;
  return place_of(given, at < plain.origin.size() ? plain.origin[at] : given.size());
}

}  // namespace svc
