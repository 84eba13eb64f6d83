#include "client/toml_text.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"

namespace svc {
namespace {

constexpr std::string_view k_byte_order_mark = "\xEF\xBB\xBF";

bool is_foreign(char c) {
  return static_cast<unsigned char>(c) >= 0x80;
}

/// The opening quotes of the string at `at`: one, or three for a multi-line string.
std::string_view quotes_at(std::string_view text, std::size_t at) {
  const std::string_view three = text.substr(at, 3);
  return three == R"(""")" || three == "'''" ? three : three.substr(0, 1);
}

/// The position after the string at `at`: its end, or the end of its line if it must end there.
std::size_t string_end(std::string_view text, std::size_t at) {
  const std::string_view mark = quotes_at(text, at);
  for (at += mark.size(); at < text.size(); ++at) {
    if (mark[0] == '"' && text[at] == '\\') {
      ++at;
    } else if (text.substr(at).starts_with(mark)) {
      at += mark.size();
      // Up to two more quotes may precede the closing three.
      const std::size_t last = mark.size() == 3 ? std::min(at + 2, text.size()) : at;
      while (at < last && text[at] == mark[0]) ++at;
      return at;
    } else if (mark.size() == 1 && text[at] == '\n') {
      return at;
    }
  }
  return text.size();
}

class AsciiTomlWriter {
 public:
  explicit AsciiTomlWriter(std::string_view given)
      : m_given(given), m_invalid(first_invalid_utf8(given).value_or(given.size())) {}

  AsciiToml run() && {
    if (m_given.starts_with(k_byte_order_mark)) m_at = k_byte_order_mark.size();
    while (m_at < m_given.size() && !m_plain.fault) {
      const char c = m_given[m_at];
      if (is_foreign(c)) {
        fail("is outside of quotes");
      } else if (c == '#') {
        put_comment(std::min(m_given.find('\n', m_at), m_given.size()));
      } else if (c == '"' || c == '\'') {
        put_string(string_end(m_given, m_at));
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
    m_plain.fault = AsciiToml::Fault{m_at, end, what};
  }

  void put(std::string_view bytes) {
    m_plain.text += bytes;
    m_plain.origin.insert(m_plain.origin.end(), bytes.size(), m_at);
  }

  void copy() {
    put(m_given.substr(m_at, 1));
    ++m_at;
  }

  /// Outputs `form(character)` for the next character.
  template <typename Form>
  void replace(const Form& form) {
    if (m_at >= m_invalid) return fail("is not UTF-8");
    std::size_t next = m_at;
    put(form(decode_utf8(m_given, next)));
    m_at = next;
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
        fail("is not a valid TOML escape");
      } else if (is_foreign(m_given[m_at])) {
        put_escape();
      } else {
        copy();
        if (escapes) copy();
      }
    }
  }

  /// A literal string has no escapes, so it becomes an equivalent basic string.
  void put_literal(std::size_t end) {
    const std::string_view mark = quotes_at(m_given, m_at);
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
  AsciiToml m_plain{};
};

/// A table header or `key = value`, and its bytes: [begin, end) are whole lines.
struct Statement {
  bool is_header = false;
  TablePath keys{};
  std::size_t begin = 0;
  std::size_t end = 0;
  std::size_t value_begin = 0;  ///< of a pair
  std::size_t value_end = 0;
};

/// Finds the statements of a text known to be valid TOML; checks nothing again.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : m_text(text) {
    if (m_text.starts_with(k_byte_order_mark)) m_at = 3;
  }

  std::vector<Statement> scan() {
    std::vector<Statement> out;
    while (m_at < m_text.size()) {
      const std::size_t begin = m_at;
      skip_blanks();
      if (m_at < m_text.size() && peek() != '#' && peek() != '\r' && peek() != '\n') {
        out.push_back(peek() == '[' ? header() : pair());
        out.back().begin = begin;
      }
      skip_line();
      if (!out.empty() && out.back().end == 0) out.back().end = m_at;
    }
    return out;
  }

 private:
  [[nodiscard]] char peek() const { return m_text[m_at]; }
  [[nodiscard]] bool done() const { return m_at >= m_text.size(); }

  void skip_blanks() {
    while (!done() && (peek() == ' ' || peek() == '\t')) ++m_at;
  }

  void skip_line() {
    const std::size_t newline = m_text.find('\n', m_at);
    m_at = newline == std::string_view::npos ? m_text.size() : newline + 1;
  }

  Statement header() {
    Statement statement;
    statement.is_header = true;
    ++m_at;
    if (!done() && peek() == '[') {
      // Matches nothing: [[arrays of tables]] are not supported, and the empty name excludes them.
      statement.keys.emplace_back();
      ++m_at;
    }
    read_keys(statement.keys, ']');
    return statement;
  }

  Statement pair() {
    Statement statement;
    read_keys(statement.keys, '=');
    if (!done()) ++m_at;
    skip_blanks();
    statement.value_begin = m_at;
    skip_value(statement.value_end);
    return statement;
  }

  void read_keys(TablePath& keys, char end) {
    while (!done() && peek() != end && peek() != '\n') {
      if (peek() == '"' || peek() == '\'') {
        const std::size_t begin = m_at;
        m_at = string_end(m_text, m_at);
        const std::string_view raw = m_text.substr(begin, m_at - begin);
        keys.emplace_back(raw.size() >= 2 ? raw.substr(1, raw.size() - 2) : raw);
      } else if (peek() == '.' || peek() == ' ' || peek() == '\t') {
        ++m_at;
      } else {
        const std::size_t begin = m_at;
        const std::string ends = std::string(". \t\n") + end;
        m_at = std::min(m_text.find_first_of(ends, m_at), m_text.size());
        keys.emplace_back(m_text.substr(begin, m_at - begin));
      }
    }
  }

  void skip_value(std::size_t& value_end) {
    int depth = 0;
    while (!done()) {
      const char c = peek();
      if (depth == 0 && (c == '\n' || c == '#')) return;
      if (c == '"' || c == '\'') {
        m_at = string_end(m_text, m_at);
      } else if (c == '#') {
        m_at = std::min(m_text.find('\n', m_at), m_text.size());
        continue;
      } else {
        if (c == '[' || c == '{') ++depth;
        if (c == ']' || c == '}') --depth;
        ++m_at;
        if (c == ' ' || c == '\t' || c == '\r') continue;
      }
      value_end = m_at;
    }
  }

  std::string_view m_text;
  std::size_t m_at = 0;
};

/// A key for use in a header: bare if possible.
std::string key_text(std::string_view key) {
  const bool bare = !key.empty() && std::all_of(key.begin(), key.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-';
  });
  return bare ? std::string(key) : toml_quote(key);
}

std::string header_text(const TablePath& table) {
  std::string out = "[";
  for (const std::string& key : table) out += (out.size() > 1 ? "." : "") + key_text(key);
  return out + "]";
}

std::string_view newline_of(std::string_view text) {
  return text.find("\r\n") != std::string_view::npos ? "\r\n" : "\n";
}

/// Inserts a line after `position`, and ends the previous line if necessary.
std::string with_insertion(std::string_view text, std::size_t position, std::string_view line) {
  std::string out(text.substr(0, position));
  const std::string_view newline = newline_of(text);
  // A byte order mark alone is not a line.
  if (!out.empty() && out.back() != '\n' && out != k_byte_order_mark) out += newline;
  out += line;
  out += newline;
  out += text.substr(position);
  return out;
}

std::string with_table_at_end(std::string_view text, const TablePath& table,
                              std::string_view line) {
  std::string out(text);
  const std::string newline(newline_of(text));
  if (!out.empty() && out.back() != '\n') out += newline;
  if (!out.empty()) out += newline;
  out += header_text(table) + newline;
  if (!line.empty()) out += std::string(line) + newline;
  return out;
}

/// The position at which to add a line to `table`, and the pair that sets `name`.
struct EditPosition {
  bool found = false;
  std::size_t end = 0;
  std::optional<Statement> pair{};
};

EditPosition find_edit_position(std::string_view text, const TablePath& table,
                                std::string_view name) {
  EditPosition position;
  bool inside = table.empty();
  position.found = inside;
  if (inside && text.starts_with(k_byte_order_mark)) position.end = 3;
  for (const Statement& statement : Scanner(text).scan()) {
    if (statement.is_header) {
      inside = statement.keys == table;
      if (inside) position = {.found = true, .end = statement.end};
    } else if (inside) {
      position.end = statement.end;
      if (statement.keys.size() == 1 && statement.keys[0] == name) position.pair = statement;
    }
  }
  return position;
}

}  // namespace

AsciiToml to_ascii_toml(std::string_view given) {
  if (std::none_of(given.begin(), given.end(), is_foreign)) return {.text = std::string(given)};
  return AsciiTomlWriter(given).run();
}

TomlPosition position_of(std::string_view text, std::size_t at) {
  const std::string_view before = text.substr(0, at);
  const std::size_t begin = before.rfind('\n') + 1;  // npos + 1 is 0
  return {static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n')) + 1,
          count_code_points(before.substr(begin)) + 1};
}

TomlPosition original_position(const AsciiToml& plain, std::string_view given,
                               TomlPosition position) {
  if (plain.origin.empty()) return position;
  std::size_t at = 0;
  for (std::size_t line = 1; line < position.line; ++line) at = plain.text.find('\n', at) + 1;
  at += position.column - 1;
  return position_of(given, at < plain.origin.size() ? plain.origin[at] : given.size());
}

std::string edit_toml_value(std::string_view text, const TablePath& table, std::string_view name,
                            const std::optional<std::string>& toml_value) {
  const EditPosition position = find_edit_position(text, table, name);
  if (!toml_value) {
    std::string out(text);
    if (position.pair) out.erase(position.pair->begin, position.pair->end - position.pair->begin);
    return out;
  }
  if (position.pair) {
    std::string out(text);
    const std::size_t length = position.pair->value_end - position.pair->value_begin;
    return out.replace(position.pair->value_begin, length, *toml_value);
  }
  const std::string line = key_text(name) + " = " + *toml_value;
  return position.found ? with_insertion(text, position.end, line)
                        : with_table_at_end(text, table, line);
}

std::string add_toml_table(std::string_view text, const TablePath& table) {
  return find_edit_position(text, table, "").found ? std::string(text)
                                                   : with_table_at_end(text, table, "");
}

namespace {

/// A table's header, and the bytes from there to the next header.
struct Block {
  std::size_t begin = std::string_view::npos;
  std::size_t body = 0;
  std::size_t end = 0;
};

Block find_block(std::string_view text, const TablePath& table) {
  Block block;
  for (const Statement& statement : Scanner(text).scan()) {
    if (!statement.is_header) continue;
    if (block.begin != std::string_view::npos) {
      block.end = statement.begin;
      return block;
    }
    if (statement.keys == table) block = {statement.begin, statement.end, text.size()};
  }
  return block;
}

}  // namespace

std::string replace_toml_table(std::string_view text, const TablePath& table,
                               std::string_view body) {
  const Block block = find_block(text, table);
  if (block.begin == std::string_view::npos) {
    return body.empty() ? std::string(text) : with_table_at_end(text, table, body);
  }
  std::string out(text.substr(0, body.empty() ? block.begin : block.body));
  if (!body.empty()) out += std::string(body) + "\n";
  if (!body.empty() && block.end < text.size()) out += "\n";
  return out.append(text.substr(block.end));
}

std::string toml_table_body(std::string_view text, const TablePath& table) {
  const Block block = find_block(text, table);
  if (block.begin == std::string_view::npos) return {};
  return std::string(text.substr(block.body, block.end - block.body));
}

std::string toml_quote(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (byte < 0x20 || byte == 0x7F) {
      out += fmt::format("\\u{:04X}", byte);
    } else {
      out += c;
    }
  }
  return out + '"';
}

}  // namespace svc
