#include "client/fast_delta.h"

#include <array>
#include <cstdint>
#include <cstring>

#include "base/text.h"

namespace svc {
namespace {

/// Walks over a JSON text and gives up at the first surprise.
class Cursor {
 public:
  explicit Cursor(std::string_view text)
      : m_begin(text.data()), m_at(text.data()), m_end(text.data() + text.size()) {}

  [[nodiscard]] std::size_t offset() const { return static_cast<std::size_t>(m_at - m_begin); }

  bool eat(char wanted) {
    blanks();
    if (m_at == m_end || *m_at != wanted) return false;
    ++m_at;
    return true;
  }

  bool at_end() {
    blanks();
    return m_at == m_end;
  }

  /// To the next quote, backslash or control character; eight bytes at a time where none is near.
  void skip_plain() {
    constexpr std::uint64_t ones = 0x0101010101010101U;
    constexpr std::uint64_t highs = 0x8080808080808080U;
    const auto has_zero = [](std::uint64_t word) { return (word - ones) & ~word & highs; };
    while (m_end - m_at >= 8) {
      std::uint64_t word = 0;
      std::memcpy(&word, m_at, sizeof word);
      const std::uint64_t control = (word - ones * 0x20) & ~word & highs;
      if ((control | has_zero(word ^ (ones * '"')) | has_zero(word ^ (ones * '\\'))) != 0) break;
      m_at += sizeof word;
    }
    while (m_at != m_end && k_plain[static_cast<unsigned char>(*m_at)]) ++m_at;
  }

  /// A string without escapes, as it stands.
  bool plain_string(std::string_view& out) {
    if (!eat('"')) return false;
    const char* begin = m_at;
    skip_plain();
    if (m_at == m_end || *m_at != '"') return false;
    out = {begin, static_cast<std::size_t>(m_at - begin)};
    ++m_at;
    return true;
  }

  /// Where the text of the string that comes next begins.
  [[nodiscard]] std::size_t start_of_string() {
    blanks();
    return offset() + 1;
  }

  /// A string with the simple escapes; \u is left to the full reader.
  bool string(std::string& out) {
    out.clear();
    if (!eat('"')) return false;
    while (true) {
      const char* begin = m_at;
      skip_plain();
      out.append(begin, m_at);
      if (m_at == m_end) return false;
      if (*m_at == '"') break;
      if (*m_at != '\\' || m_at + 1 == m_end || !escape(m_at[1], out)) return false;
      m_at += 2;
    }
    ++m_at;
    return true;
  }

  bool literal(std::string_view word) {
    blanks();
    if (static_cast<std::size_t>(m_end - m_at) < word.size()) return false;
    if (std::string_view(m_at, word.size()) != word) return false;
    m_at += word.size();
    return true;
  }

  bool small_number(int& out) {
    blanks();
    if (m_at == m_end || *m_at < '0' || *m_at > '9') return false;
    if (*m_at == '0' && m_at + 1 != m_end && m_at[1] >= '0' && m_at[1] <= '9') return false;
    out = 0;
    int digits = 0;
    while (m_at != m_end && *m_at >= '0' && *m_at <= '9' && digits < 4) {
      out = out * 10 + (*m_at - '0');
      ++m_at;
      ++digits;
    }
    return digits < 4 && (m_at == m_end || (*m_at != '.' && *m_at != 'e' && *m_at != 'E'));
  }

  /// A string, whole number, null, true or false of no interest.
  bool skip_scalar() {
    blanks();
    if (m_at == m_end) return false;
    if (*m_at == '"') {
      std::string_view ignored;
      return plain_string(ignored);
    }
    if (*m_at == 'n') return literal("null");
    if (*m_at == 't') return literal("true");
    if (*m_at == 'f') return literal("false");
    if (*m_at < '1' || *m_at > '9') return false;
    while (m_at != m_end && *m_at >= '0' && *m_at <= '9') ++m_at;
    return true;
  }

 private:
  void blanks() {
    while (m_at != m_end && (*m_at == ' ' || *m_at == '\n' || *m_at == '\r' || *m_at == '\t'))
      ++m_at;
  }

  static bool escape(char c, std::string& out) {
    constexpr std::string_view names = "\"\\/bfnrt";
    constexpr std::string_view values = "\"\\/\b\f\n\r\t";
    const std::size_t at = names.find(c);
    if (at == std::string_view::npos) return false;
    out += values[at];
    return true;
  }

  static constexpr std::array<bool, 256> k_plain = [] {
    std::array<bool, 256> plain{};
    for (std::size_t i = 0x20; i < 256; ++i) plain[i] = i != '"' && i != '\\';
    return plain;
  }();

  const char* m_begin;
  const char* m_at;
  const char* m_end;
};

/// True when all of `text` may stand inside a JSON string without an escape.
bool is_plain(std::string_view text) {
  Cursor cursor(text);
  cursor.skip_plain();
  return cursor.offset() == text.size() && !first_invalid_utf8(text);
}

bool read_delta(Cursor& cursor, FastDelta& chunk) {
  bool found = false;
  if (!cursor.eat('{')) return false;
  do {
    std::string_view name;
    if (!cursor.plain_string(name) || !cursor.eat(':')) return false;
    if (name == "content") {
      if (found) return false;
      chunk.begin = cursor.start_of_string();
      if (!cursor.string(chunk.content)) return false;
      chunk.end = cursor.offset() - 1;
      found = true;
    } else if (name == "role") {
      if (!cursor.skip_scalar()) return false;
    } else if (!cursor.literal("null")) {
      return false;
    }
  } while (cursor.eat(','));
  return found && cursor.eat('}');
}

bool read_choice(Cursor& cursor, FastDelta& chunk) {
  bool found = false;
  if (!cursor.eat('[') || !cursor.eat('{')) return false;
  do {
    std::string_view name;
    if (!cursor.plain_string(name) || !cursor.eat(':')) return false;
    if (name == "index") {
      if (!cursor.small_number(chunk.index)) return false;
    } else if (name == "delta") {
      if (found || !read_delta(cursor, chunk)) return false;
      found = true;
    } else if (!cursor.literal("null")) {
      return false;
    }
  } while (cursor.eat(','));
  return found && cursor.eat('}') && cursor.eat(']');
}

/// The same in every chunk of a stream: told by the first one.
bool is_head(std::string_view name) {
  return name == "id" || name == "object" || name == "created" || name == "model" ||
         name == "system_fingerprint";
}

}  // namespace

bool read_fast_delta(std::string_view data, FastDelta& chunk) {
  chunk.index = 0;
  bool found = false;
  Cursor cursor(data);
  if (!cursor.eat('{')) return false;
  do {
    std::string_view name;
    if (!cursor.plain_string(name) || !cursor.eat(':')) return false;
    if (name == "choices") {
      if (found || !read_choice(cursor, chunk)) return false;
      found = true;
    } else if (!cursor.literal("null") && !(is_head(name) && cursor.skip_scalar())) {
      return false;
    }
  } while (cursor.eat(','));
  return found && cursor.eat('}') && cursor.at_end() && !first_invalid_utf8(data);
}

bool FastDeltaReader::read(std::string_view data, FastDelta& chunk) {
  const std::size_t frame = m_before.size() + m_after.size();
  if (!m_before.empty() && data.size() >= frame && data.starts_with(m_before) &&
      data.ends_with(m_after)) {
    const std::string_view content = data.substr(m_before.size(), data.size() - frame);
    if (is_plain(content)) {
      chunk.index = m_index;
      chunk.content = content;
      return true;
    }
  }
  if (!read_fast_delta(data, chunk)) return false;
  m_index = chunk.index;
  m_before = data.substr(0, chunk.begin);
  m_after = data.substr(chunk.end);
  return true;
}

}  // namespace svc
