#include "client/toml.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.h"

namespace svc {
namespace {

using Type = TomlNode::Type;
using Origin = TomlNode::Origin;

constexpr std::string_view k_byte_order_mark = "\xEF\xBB\xBF";
constexpr int k_max_depth = 100;

/// A table header or `key = value`, and its bytes: [begin, end) are whole lines.
struct Statement {
  bool is_header = false;
  TablePath keys{};
  std::size_t begin = 0;
  std::size_t end = 0;
  std::size_t value_begin = 0;  ///< of a pair
  std::size_t value_end = 0;
};

bool is_bare(char c) {
  return is_letter(c) || is_digit(c) || c == '_' || c == '-';
}

/// Parses a value that is neither a string, an array nor a table; false if it is invalid.
bool read_scalar(std::string_view word, TomlNode& into) {
  into.text = word;
  into.type = Type::Boolean;
  if (word == "true" || word == "false") return true;
  into.type = Type::Time;
  if (word.size() > 4 && is_digit(word[3]) && (word[2] == ':' || word[4] == '-')) {
    return word.find_first_not_of("0123456789-:.+TtZz ") == sv::npos;
  }
  into.type = Type::Number;
  into.text = replace_all(std::string(word), "_", "");
  if (into.text.starts_with('+')) {
    into.text.erase(0, 1);
    if (into.text.starts_with('-')) return false;
  }
  for (const auto& [prefix, base] : {std::pair<sv, int>{"0x", 16}, {"0o", 8}, {"0b", 2}}) {
    if (!into.text.starts_with(prefix)) continue;
    std::uint64_t value{};
    const char* end = into.text.data() + into.text.size();
    const auto [rest, failed] = std::from_chars(into.text.data() + 2, end, value, base);
    if (rest != end || failed != std::errc()) return false;
    into.text = std::to_string(value);
  }
  const std::string_view magnitude = sv(into.text).substr(into.text.starts_with('-') ? 1 : 0);
  return magnitude == "inf" || magnitude == "nan" || parse_number(into.text);
}

class Parser {
 public:
  Parser(std::string_view name, std::string_view text) : m_name(name), m_text(text) {}

  Result<TomlNode> run() {
    if (m_text.starts_with(k_byte_order_mark)) m_at = k_byte_order_mark.size();
    m_table = &m_root;
    while (!done()) {
      const std::size_t begin = m_at;
      skip_blanks();
      const bool empty = done() || peek() == '#' || peek() == '\r' || peek() == '\n';
      if (!empty) {
        m_statements.push_back({.is_header = peek() == '[', .begin = begin});
        SVC_CHECK(peek() == '[' ? read_header() : read_pair(*m_table, true));
        skip_blanks();
      }
      SVC_CHECK(end_line());
      if (!empty) m_statements.back().end = m_at;
    }
    if (const auto invalid = first_invalid_utf8(m_text)) return fail(*invalid, "is not UTF-8");
    return std::move(m_root);
  }

  [[nodiscard]] std::vector<Statement>& statements() noexcept { return m_statements; }

 private:
  [[nodiscard]] char peek() const { return m_text[m_at]; }
  [[nodiscard]] bool done() const { return m_at >= m_text.size(); }
  [[nodiscard]] bool at(std::string_view text) const {
    return m_text.substr(m_at).starts_with(text);
  }
  bool skip(std::string_view text) {
    const bool found = at(text);
    if (found) m_at += text.size();
    return found;
  }
  void skip_blanks() { m_at = std::min(m_text.find_first_not_of(" \t", m_at), m_text.size()); }

  /// `what` follows the character at `position`.
  [[nodiscard]] Error fail(std::size_t position, std::string_view what) const {
    const std::string_view before = m_text.substr(0, position);
    const std::size_t begin = before.rfind('\n') + 1;  // npos + 1 is 0
    std::size_t end = position;
    if (end < m_text.size()) (void)decode_utf8(m_text, end);
    return usage_error(
        fmt::format(
            "{} is not valid TOML: line {}, column {}: {} {}", visible(m_name, Lines::Escape),
            std::count(before.begin(), before.end(), '\n') + 1,
            count_code_points(before.substr(begin)) + 1,
            end == position
                ? std::string("the end")
                : "'" + visible(m_text.substr(position, end - position), Lines::Escape) + "'",
            what),
        "Fix that line, or move the file away and set the values again with `svc config set`.");
  }
  [[nodiscard]] Error fail(std::string_view what) const { return fail(m_at, what); }

  /// Skips a comment and the end of the line.
  Result<void> end_line() {
    if (!done() && peek() == '#') {
      while (!done() && peek() != '\n' && !at("\r\n")) {
        if (is_control(peek())) return fail("is not allowed in a comment");
        ++m_at;
      }
    }
    if (done() || skip("\n") || skip("\r\n")) return {};
    return fail("is unexpected here");
  }

  static bool is_control(char c) {
    return (static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7F;
  }

  Result<TablePath> read_keys() {
    TablePath keys;
    do {
      skip_blanks();
      if (!done() && (peek() == '"' || peek() == '\'')) {
        SVC_TRY(key, read_string(m_text.substr(m_at, 1)));
        keys.push_back(std::move(key));
      } else {
        const std::size_t begin = m_at;
        while (!done() && is_bare(peek())) ++m_at;
        if (m_at == begin) return fail("is not allowed in a name without quotes");
        keys.emplace_back(m_text.substr(begin, m_at - begin));
      }
      skip_blanks();
    } while (skip("."));
    return keys;
  }

  /// Adds a child of a table or an element of an array.
  TomlNode& add(TomlNode& parent, std::string_view key, Type type, Origin origin) {
    const auto line =
        std::count(m_text.begin(), m_text.begin() + static_cast<std::ptrdiff_t>(m_at), '\n') + 1;
    return parent.children.emplace_back(TomlNode{.key = std::string(key),
                                                 .type = type,
                                                 .origin = origin,
                                                 .line = static_cast<std::size_t>(line)});
  }

  Result<void> read_header() {
    const std::size_t begin = m_at;
    const bool array = skip("[[");
    if (!array) ++m_at;
    SVC_TRY(keys, read_keys());
    if (!skip(array ? "]]" : "]")) return fail("is unexpected in a table's name");
    TomlNode* table = &m_root;
    for (const std::string& key : keys) {
      const bool last = &key == &keys.back();
      TomlNode* next = table->find(key);
      if (next == nullptr) {
        next = &add(*table, key, last && array ? Type::Array : Type::Table,
                    last ? Origin::Header : Origin::Path);
      } else if (last && !array && next->is_table() && next->origin == Origin::Path) {
        next->origin = Origin::Header;
      } else if (last ? !array || next->type != Type::Array || next->origin == Origin::Inline
                      : next->origin == Origin::Inline) {
        return fail(begin, "begins a table that is already defined");
      }
      if (last && array) add(*next, {}, Type::Table, Origin::Header);
      table = next->type == Type::Array ? &next->children.back() : next;
    }
    m_table = table;
    if (array) keys.clear();  // [[arrays of tables]] are never edited
    if (array) keys.emplace_back();
    m_statements.back().keys = std::move(keys);
    return {};
  }

  /// Reads `key = value` into `table`.
  Result<void> read_pair(TomlNode& into, bool statement) {
    const std::size_t begin = m_at;
    SVC_TRY(keys, read_keys());
    if (!skip("=")) return fail("is unexpected; a name needs '=' and a value");
    TomlNode* table = &into;
    for (const std::string& key : keys) {
      TomlNode* next = table->find(key);
      const bool last = &key == &keys.back();
      if (next != nullptr && (last || !next->is_table() || next->origin != Origin::Dotted)) {
        return fail(begin, "begins a name that is already defined");
      }
      table = next != nullptr ? next : &add(*table, key, Type::Table, Origin::Dotted);
    }
    skip_blanks();
    const std::size_t value = m_at;
    SVC_CHECK(read_value(*table));
    if (statement) {
      m_statements.back().keys = std::move(keys);
      m_statements.back().value_begin = value;
      m_statements.back().value_end = m_at;
    }
    return {};
  }

  Result<void> read_value(TomlNode& into) {
    into.origin = Origin::Inline;
    if (done()) return fail("is unexpected; a value is missing");
    if (peek() == '"' || peek() == '\'') {
      const bool multiline = at(R"(""")") || at("'''");
      SVC_TRY(text, read_string(m_text.substr(m_at, multiline ? 3 : 1)));
      into.type = Type::Text;
      into.text = std::move(text);
      return {};
    }
    if (peek() == '[' || peek() == '{') {
      if (++m_depth > k_max_depth) return fail("is nested too deep");
      SVC_CHECK(peek() == '[' ? read_array(into) : read_inline_table(into));
      --m_depth;
      return {};
    }
    const std::size_t begin = m_at;
    const auto word_end = [this](std::size_t from) {
      return std::min(m_text.find_first_of(",]}# \t\r\n", from), m_text.size());
    };
    m_at = word_end(begin);
    // A date and a time may have a space between them.
    if (m_at == begin + 10 && at(" ") && m_at + 1 < m_text.size() && is_digit(m_text[m_at + 1])) {
      m_at = word_end(m_at + 1);
    }
    if (read_scalar(m_text.substr(begin, m_at - begin), into)) return {};
    return fail(begin, "does not begin a value; text needs quotes");
  }

  Result<void> read_array(TomlNode& into) {
    into.type = Type::Array;
    ++m_at;
    while (true) {
      SVC_CHECK(skip_lines());
      if (skip("]")) return {};
      SVC_CHECK(read_value(add(into, {}, Type::Table, Origin::Inline)));
      SVC_CHECK(skip_lines());
      if (!skip(",") && (done() || peek() != ']')) return fail("is unexpected in an array");
    }
  }

  Result<void> skip_lines() {
    for (skip_blanks(); !done() && (peek() == '#' || peek() == '\n' || at("\r\n")); skip_blanks()) {
      SVC_CHECK(end_line());
    }
    return {};
  }

  Result<void> read_inline_table(TomlNode& into) {
    into.type = Type::Table;
    ++m_at;
    skip_blanks();
    if (skip("}")) return {};
    do {
      SVC_CHECK(read_pair(into, false));
      skip_blanks();
    } while (skip(","));
    return skip("}") ? Result<void>() : fail("is unexpected in an inline table");
  }

  /// Reads the string that starts with `mark`: one quote, or three.
  Result<std::string> read_string(std::string_view mark) {
    const std::size_t begin = m_at;
    const bool multiline = mark.size() == 3;
    m_at += mark.size();
    if (multiline && !skip("\n")) skip("\r\n");
    std::string out;
    while (!done()) {
      const char c = peek();
      if (skip(mark)) {
        // Up to two more quotes may precede the closing three.
        for (int more = 0; multiline && more < 2 && skip(mark.substr(0, 1)); ++more) out += c;
        return out;
      }
      const bool line_end = c == '\n' || at("\r\n");
      if (line_end && !multiline) break;
      if (is_control(c) && !line_end) {
        return fail("is not allowed in a string; use an escape");
      }
      if (c == '\\' && mark[0] == '"') {
        SVC_CHECK(read_escape(out, multiline));
      } else {
        out += c;
        ++m_at;
      }
    }
    return fail(begin, "begins a string that does not end");
  }

  Result<void> read_escape(std::string& out, bool multiline) {
    constexpr std::string_view k_letters = "btnfr\"\\";
    constexpr std::string_view k_meanings = "\b\t\n\f\r\"\\";
    const std::size_t begin = m_at++;
    const char c = done() ? '\0' : peek();
    if (const std::size_t known = k_letters.find(c); known != sv::npos) {
      out += k_meanings[known];
      ++m_at;
      return {};
    }
    if (c == 'u' || c == 'U') {
      const sv digits = m_text.substr(m_at + 1, c == 'u' ? 4 : 8);
      std::uint32_t code = 0;
      const auto [rest, failed] =
          std::from_chars(digits.data(), digits.data() + digits.size(), code, 16);
      const bool whole = digits.size() == (c == 'u' ? 4U : 8U) &&
                         rest == digits.data() + digits.size() && failed == std::errc();
      if (!whole || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) {
        return fail(begin, "begins an invalid escape");
      }
      append_utf8(out, code);
      m_at += 1 + digits.size();
      return {};
    }
    // A backslash at the end of a line joins it with the next text.
    const std::size_t next = std::min(m_text.find_first_not_of(" \t\r\n", m_at), m_text.size());
    const bool joins = m_text.substr(m_at, next - m_at).find('\n') != sv::npos;
    if (!multiline || !joins) return fail(begin, "begins an invalid escape");
    m_at = next;
    return {};
  }

  std::string_view m_name;
  std::string_view m_text;
  std::size_t m_at = 0;
  int m_depth = 0;
  TomlNode m_root{};
  TomlNode* m_table = nullptr;  ///< of the last header
  std::vector<Statement> m_statements{};
};

/// The statements of a text known to be TOML.
std::vector<Statement> statements_of(std::string_view text) {
  Parser parser({}, text);
  (void)parser.run();
  return std::move(parser.statements());
}

/// A key for use in a header: bare if possible.
std::string key_text(std::string_view key) {
  const bool bare = !key.empty() && std::all_of(key.begin(), key.end(), is_bare);
  return bare ? std::string(key) : toml_quote(key);
}

std::string header_text(const TablePath& table) {
  std::string out = "[";
  for (const std::string& key : table) out += (out.size() > 1 ? "." : "") + key_text(key);
  return out + "]";
}

std::string value_text(const TomlNode& node) {
  if (node.type == Type::Text) return toml_quote(node.text);
  if (node.type != Type::Array && node.type != Type::Table) return node.text;
  std::vector<std::string> parts;
  for (const TomlNode& one : node.children) {
    parts.push_back((node.is_table() ? key_text(one.key) + " = " : "") + value_text(one));
  }
  return fmt::format("{}{}{}", node.is_table() ? "{" : "[", fmt::join(parts, ", "),
                     node.is_table() ? "}" : "]");
}

void add_table_text(std::string& out, const TablePath& path, const TomlNode& table) {
  const auto is_table = [](const TomlNode& node) { return node.is_table(); };
  const bool only_tables = std::all_of(table.children.begin(), table.children.end(), is_table);
  if (!path.empty() && (!only_tables || table.children.empty())) {
    out += (out.empty() ? "" : "\n") + header_text(path) + "\n";
  }
  for (const TomlNode& node : table.children) {
    if (!node.is_table()) out += key_text(node.key) + " = " + value_text(node) + "\n";
  }
  for (const TomlNode& node : table.children) {
    TablePath inner = path;
    inner.push_back(node.key);
    if (node.is_table()) add_table_text(out, inner, node);
  }
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

/// Where a table is: its header, its content up to the next header, and in it the pair that sets a
/// name.
struct TablePosition {
  bool found = false;
  std::size_t begin = 0;
  std::size_t body = 0;
  std::size_t last = 0;  ///< the end of the last pair
  std::size_t end = 0;
  std::optional<Statement> pair{};
};

TablePosition find_table(std::string_view text, const TablePath& table, std::string_view name) {
  const std::size_t top = text.starts_with(k_byte_order_mark) ? k_byte_order_mark.size() : 0;
  bool inside = table.empty();
  TablePosition position{inside, top, top, top, text.size()};
  for (const Statement& statement : statements_of(text)) {
    if (statement.is_header) {
      if (inside) position.end = statement.begin;
      inside = statement.keys == table;
      if (inside) position = {true, statement.begin, statement.end, statement.end, text.size()};
    } else if (inside) {
      position.last = statement.end;
      if (statement.keys.size() == 1 && statement.keys[0] == name) position.pair = statement;
    }
  }
  return position;
}

}  // namespace

const TomlNode* TomlNode::find(std::string_view name) const {
  const auto found = std::find_if(children.begin(), children.end(),
                                  [&](const TomlNode& node) { return node.key == name; });
  return is_table() && found != children.end() ? &*found : nullptr;
}

TomlNode* TomlNode::find(std::string_view name) {
  return const_cast<TomlNode*>(std::as_const(*this).find(name));
}

TomlNode& TomlNode::child(std::string_view name) {
  TomlNode* found = find(name);
  return found != nullptr ? *found : children.emplace_back(TomlNode{.key = std::string(name)});
}

bool TomlNode::operator==(const TomlNode& other) const {
  if (type != other.type || text != other.text || children.size() != other.children.size()) {
    return false;
  }
  if (!is_table()) return children == other.children;
  return std::all_of(children.begin(), children.end(), [&](const TomlNode& node) {
    const TomlNode* same = other.find(node.key);
    return same != nullptr && node == *same;
  });
}

Result<TomlNode> parse_toml(std::string_view name, std::string_view text) {
  return Parser(name, text).run();
}

std::string toml_text(const TomlNode& table) {
  std::string out;
  add_table_text(out, {}, table);
  return out;
}

std::string edit_toml_value(std::string_view text, const TablePath& table, std::string_view name,
                            const std::optional<std::string>& toml_value) {
  const TablePosition position = find_table(text, table, name);
  const auto& pair = position.pair;
  std::string out(text);
  if (pair && toml_value) {
    return out.replace(pair->value_begin, pair->value_end - pair->value_begin, *toml_value);
  }
  if (pair) out.erase(pair->begin, pair->end - pair->begin);
  if (!toml_value) return out;
  const std::string line = key_text(name) + " = " + *toml_value;
  return position.found ? with_insertion(text, position.last, line)
                        : with_table_at_end(text, table, line);
}

std::string add_toml_table(std::string_view text, const TablePath& table) {
  return find_table(text, table, "").found ? std::string(text) : with_table_at_end(text, table, "");
}

std::string replace_toml_table(std::string_view text, const TablePath& table,
                               std::string_view body) {
  const TablePosition position = find_table(text, table, "");
  if (!position.found)
    return body.empty() ? std::string(text) : with_table_at_end(text, table, body);
  std::string out(text.substr(0, body.empty() ? position.begin : position.body));
  if (!body.empty()) out += std::string(body) + "\n";
  if (!body.empty() && position.end < text.size()) out += "\n";
  return out.append(text.substr(position.end));
}

std::string toml_table_body(std::string_view text, const TablePath& table) {
  const TablePosition position = find_table(text, table, "");
  return std::string(text.substr(position.body, position.found ? position.end - position.body : 0));
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
