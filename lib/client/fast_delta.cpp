#include "client/fast_delta.h"

#include "base/text.h"
#include "json/scanner.h"

namespace svc {
namespace {

using json_scan::Token;
using DeltaScanner = json_scan::Scanner<json_scan::Input::Unknown>;

bool is_scalar(Token token) {
  return token == Token::String || token == Token::Number || token == Token::Literal;
}

/// Reads the next field's name, or "" at the end of the object. A name with escapes fails the fast
/// path.
bool next_name(DeltaScanner& scanner, std::string_view& name) {
  const Token token = scanner.next();
  name = token == Token::Name ? scanner.inside() : std::string_view();
  return token == Token::EndObject || (!name.empty() && !scanner.shape().escaped);
}

bool read_delta(DeltaScanner& scanner, FastDelta& chunk) {
  bool found = false;
  for (std::string_view name;;) {
    if (!next_name(scanner, name)) return false;
    if (name.empty()) return found;
    const Token token = scanner.next();
    if (name == "content") {
      if (found || token != Token::String) return false;
      chunk.begin = scanner.begin() + 1;
      chunk.end = scanner.end() - 1;
      chunk.content.clear();
      json_scan::append_decoded(chunk.content, scanner.inside());
      found = true;
    } else if (!(name == "role" && is_scalar(token)) && scanner.text() != "null") {
      return false;
    }
  }
}

bool read_index(std::string_view number, int& index) {
  constexpr std::size_t max_digits = 3;
  if (number.size() > max_digits || number.find_first_not_of("0123456789") != sv::npos)
    return false;
  index = 0;
  for (const char digit : number) index = index * 10 + (digit - '0');
  return true;
}

bool read_choice(DeltaScanner& scanner, FastDelta& chunk) {
  bool found = false;
  if (scanner.next() != Token::BeginObject) return false;
  for (std::string_view name;;) {
    if (!next_name(scanner, name)) return false;
    if (name.empty()) return found && scanner.next() == Token::EndArray;
    const Token token = scanner.next();
    if (name == "index") {
      if (token != Token::Number || !read_index(scanner.text(), chunk.index)) return false;
    } else if (name == "delta") {
      if (found || token != Token::BeginObject || !read_delta(scanner, chunk)) return false;
      found = true;
    } else if (scanner.text() != "null") {
      return false;
    }
  }
}

constexpr std::string_view k_data = "data: ";
constexpr std::string_view k_end = "\n\n";

/// Appends the text between `before` and `after` at the start of `bytes`; returns the length of all
/// three, or 0 without a match.
std::size_t match_event(std::string_view bytes, std::string_view before, std::string_view after,
                        std::string& content) {
  if (!bytes.starts_with(before)) return 0;
  json_scan::StringShape shape;
  const auto string = json_scan::scan_string(bytes, before.size() - 1, true, shape);
  if (string.reason != nullptr || !bytes.substr(string.end - 1).starts_with(after)) return 0;
  const std::string_view inside = bytes.substr(before.size(), string.end - 1 - before.size());
  if (shape.escaped) {
    json_scan::append_decoded(content, inside);
  } else {
    content += inside;
  }
  return string.end - 1 + after.size();
}

/// Fields that are equal in every chunk of a stream: the first chunk reports them.
bool is_common_field(std::string_view name) {
  return name == "id" || name == "object" || name == "created" || name == "model" ||
         name == "system_fingerprint";
}

}  // namespace

bool read_fast_delta(std::string_view data, FastDelta& chunk) {
  chunk.index = 0;
  bool found = false;
  DeltaScanner scanner(data);
  if (scanner.next() != Token::BeginObject) return false;
  for (std::string_view name;;) {
    if (!next_name(scanner, name)) return false;
    if (name.empty()) {
      const bool ended = found && scanner.next() == Token::End;
      chunk.compact = scanner.whitespace() == 0 && data.starts_with('{');  // no byte order mark
      return ended;
    }
    const Token token = scanner.next();
    if (name == "choices") {
      if (found || token != Token::BeginArray || !read_choice(scanner, chunk)) return false;
      found = true;
    } else if (!(is_common_field(name) && is_scalar(token)) && scanner.text() != "null") {
      return false;
    }
  }
}

bool FastDeltaReader::read(std::string_view data, FastDelta& chunk) {
  chunk.index = m_index;
  chunk.content.clear();
  if (!m_before.empty() && !data.empty()) {
    const std::string_view before = std::string_view(m_before).substr(k_data.size());
    const std::string_view after =
        std::string_view(m_after).substr(0, m_after.size() - k_end.size());
    if (match_event(data, before, after, chunk.content) == data.size()) return true;
  }
  if (!read_fast_delta(data, chunk)) return false;
  m_index = chunk.index;
  m_compact = chunk.compact;
  m_before.assign(k_data).append(data.substr(0, chunk.begin));
  m_after.assign(data.substr(chunk.end)).append(k_end);
  return true;
}

http::SseRun FastDeltaReader::read_run(std::string_view bytes, FastDelta& chunk) const {
  chunk.index = m_index;
  chunk.content.clear();
  http::SseRun run;
  while (!m_before.empty()) {
    const std::size_t taken =
        match_event(bytes.substr(run.bytes), m_before, m_after, chunk.content);
    if (taken == 0) break;
    run.bytes += taken;
    ++run.events;
  }
  return run;
}

}  // namespace svc
