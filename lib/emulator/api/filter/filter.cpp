#include "emulator/api/filter/filter.h"

#include <nlohmann/json.hpp>

namespace svc::emulator::filter {

enum class Op : std::uint8_t { Has, Equal, NotEqual, Less, LessEqual, Greater, GreaterEqual };

/// `field op value`, or `field:low..high`.
struct Comparison {
  std::string field{};
  Match match = Match::Exact;
  Op op = Op::Equal;
  std::string text{};
  std::optional<double> number{};  ///< `text` as a number or, with Match::Time, in Unix seconds
  std::optional<std::pair<double, double>> range{};  ///< both ends are included
};

namespace {

std::string get_string(const Value& value) {
  return value.is_string() ? value.get<std::string>() : text::dump(value);
}

std::optional<double> get_number(const Value& value) {
  if (value.is_number()) return value.get<double>();
  return value.is_string() ? parse_number(value.get_ref<const std::string&>()) : std::nullopt;
}

// Whether a word of `text` is similar to `wanted`.
bool has_near_word(sv text, sv wanted) {
  std::vector<sv> words;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size() && sv(" ._-/").find(text[i]) == sv::npos) continue;
    words.push_back(text.substr(begin, i - begin));
    begin = i + 1;
  }
  return !nearest(wanted, words).empty();
}

template <typename T>
bool ordered(Op op, const T& left, const T& right) {
  switch (op) {
    case Op::Less:
      return left < right;
    case Op::LessEqual:
      return !(right < left);
    case Op::Greater:
      return right < left;
    case Op::GreaterEqual:
      return !(left < right);
    default:
      return !(left < right) && !(right < left);
  }
}

bool text_equals(const Comparison& comparison, sv text) {
  const bool part = comparison.match == Match::Part || comparison.match == Match::Fuzzy ||
                    (comparison.match == Match::Any && comparison.op == Op::Has);
  if (!part) return text == comparison.text;
  return contains_ignore_case(text, comparison.text) ||
         (comparison.match == Match::Fuzzy && has_near_word(text, comparison.text));
}

bool is_text_match(Match match) {
  return match == Match::Exact || match == Match::Part || match == Match::Fuzzy;
}

// Returns `text` as a number for that type of field; nothing if it is not a number.
std::optional<double> number_for(Match match, sv text) {
  if (is_text_match(match)) return std::nullopt;
  if (match != Match::Time) return parse_number(text);
  auto time = parse_rfc3339(text);
  if (!time) time = parse_rfc3339(fmt::format("{}T00:00:00Z", text));
  if (!time) return std::nullopt;
  return static_cast<double>(*time);
}

bool compare(const Comparison& comparison, const Value& value) {
  // A missing value differs from everything, and is neither less nor greater.
  if (value.is_null()) return comparison.op == Op::NotEqual;
  const auto number = get_number(value);
  if (comparison.range) {
    return number && *number >= comparison.range->first && *number <= comparison.range->second;
  }
  const bool by_text = is_text_match(comparison.match) || !comparison.number || !number;
  const bool is_equality =
      comparison.op == Op::Has || comparison.op == Op::Equal || comparison.op == Op::NotEqual;
  bool holds = false;
  if (by_text && is_equality) {
    holds = text_equals(comparison, get_string(value));
  } else if (by_text) {
    holds = ordered(comparison.op, get_string(value), comparison.text);
  } else {
    holds = ordered(comparison.op, *number, *comparison.number);
  }
  return comparison.op == Op::NotEqual ? !holds : holds;
}

constexpr int k_deepest = 64;
constexpr std::size_t k_max_length = 8'192;

enum class Kind : std::uint8_t { End, Word, Quoted, Operator, Open, Close, Minus };

struct Token {
  Kind kind = Kind::End;
  std::string text{};
  std::size_t column = 0;  ///< from 1
  Op op = Op::Equal;
};

bool ends_word(char c) {
  return sv(" \t\r\n()=!<>:\"'").find(c) != sv::npos;
}

// Splits text into tokens, one at a time.
class Scanner {
 public:
  explicit Scanner(sv text) : m_text(text) {}

  // In a value, colons and minus signs are ordinary characters: 2026-01-01T10:00:00Z, -5.
  Result<Token> next(bool value) {
    while (m_at < m_text.size() && sv(" \t\r\n").find(m_text[m_at]) != sv::npos) ++m_at;
    Token token{.column = m_at + 1};
    if (m_at == m_text.size()) return token;
    const char c = m_text[m_at];
    if (c == '(' || c == ')') {
      ++m_at;
      token.kind = c == '(' ? Kind::Open : Kind::Close;
      return token;
    }
    if (c == '"' || c == '\'') return quoted(token, c);
    if (!value && c == '-') {
      ++m_at;
      token.kind = Kind::Minus;
      return token;
    }
    if (const auto op = read_operator()) {
      token.kind = Kind::Operator;
      token.op = *op;
      return token;
    }
    return word(token, value);
  }

 private:
  Result<Token> quoted(Token token, char mark) {
    token.kind = Kind::Quoted;
    for (++m_at; m_at < m_text.size() && m_text[m_at] != mark; ++m_at) {
      if (m_text[m_at] == '\\' && m_at + 1 < m_text.size()) ++m_at;
      token.text += m_text[m_at];
    }
    if (m_at == m_text.size()) {
      return usage_error(fmt::format("the quotation at column {} has no end", token.column));
    }
    ++m_at;
    return token;
  }

  std::optional<Op> read_operator() {
    struct Sign {
      sv text;
      Op op;
    };
    constexpr std::array k_signs = {
        Sign{"!=", Op::NotEqual}, Sign{"<=", Op::LessEqual}, Sign{">=", Op::GreaterEqual},
        Sign{"=", Op::Equal},     Sign{"<", Op::Less},       Sign{">", Op::Greater},
        Sign{":", Op::Has}};
    for (const Sign& sign : k_signs) {
      if (!m_text.substr(m_at).starts_with(sign.text)) continue;
      m_at += sign.text.size();
      return sign.op;
    }
    return std::nullopt;
  }

  Result<Token> word(Token token, bool value) {
    token.kind = Kind::Word;
    const auto more = [&](char c) { return !ends_word(c) || (value && c == ':'); };
    while (m_at < m_text.size() && more(m_text[m_at])) token.text += m_text[m_at++];
    if (!token.text.empty()) return token;
    return usage_error(fmt::format("a character that has no meaning at column {}", token.column));
  }

  sv m_text;
  std::size_t m_at = 0;
};

std::string list_fields(std::span<const Field> fields) {
  std::vector<sv> names;
  for (const Field& field : fields) names.push_back(field.name);
  return join(names, ", ");
}

using Test = std::function<bool(const Lookup&)>;

class Parser {
 public:
  Parser(sv text, std::span<const Field> fields) : m_scanner(text), m_fields(fields) {}

  Result<Test> parse() {
    SVC_CHECK(advance());
    if (m_token.kind == Kind::End) return Test([](const Lookup&) { return true; });
    SVC_TRY(root, conjunction());
    if (m_token.kind != Kind::End) return unexpected("the end or an operator");
    return root;
  }

 private:
  Result<void> advance(bool value = false) {
    SVC_TRY(token, m_scanner.next(value));
    m_token = std::move(token);
    return {};
  }

  [[nodiscard]] bool at_keyword(sv word) const {
    return m_token.kind == Kind::Word && m_token.text == word;
  }

  [[nodiscard]] Error unexpected(sv wanted) const {
    return usage_error(fmt::format("expected {} at column {}", wanted, m_token.column));
  }

  // Holds if all parts do or, without `all`, if any does.
  static Test join_parts(std::vector<Test> parts, bool all) {
    return [parts = std::move(parts), all](const Lookup& lookup) {
      return all ==
             std::ranges::all_of(parts, [&](const Test& part) { return part(lookup) == all; });
    };
  }

  Result<Test> conjunction() {
    if (++m_depth > k_deepest) return usage_error("it is nested too deep");
    std::vector<Test> parts;
    for (;;) {
      SVC_TRY(part, disjunction());
      parts.push_back(std::move(part));
      if (at_keyword("AND")) {
        SVC_CHECK(advance());
      } else if (m_token.kind == Kind::End || m_token.kind == Kind::Close) {
        break;
      }
    }
    --m_depth;
    return join_parts(std::move(parts), true);
  }

  Result<Test> disjunction() {
    std::vector<Test> parts;
    for (;;) {
      SVC_TRY(part, term());
      parts.push_back(std::move(part));
      if (!at_keyword("OR")) return join_parts(std::move(parts), false);
      SVC_CHECK(advance());
    }
  }

  Result<Test> term() {
    const bool negated = m_token.kind == Kind::Minus || at_keyword("NOT");
    if (negated) SVC_CHECK(advance());
    SVC_TRY(inner, simple());
    if (!negated) return inner;
    return Test([inner](const Lookup& lookup) { return !inner(lookup); });
  }

  Result<Test> simple() {
    if (m_token.kind != Kind::Open) return restriction();
    SVC_CHECK(advance());
    SVC_TRY(inner, conjunction());
    if (m_token.kind != Kind::Close) return unexpected("a closing parenthesis");
    SVC_CHECK(advance());
    return inner;
  }

  Result<Test> restriction() {
    if (m_token.kind != Kind::Word) return unexpected("the name of a field");
    Comparison comparison;
    SVC_CHECK(take_field(comparison));
    if (m_token.kind != Kind::Operator) {
      return unexpected(fmt::format("one of = != > >= < <= : after {}", comparison.field));
    }
    comparison.op = m_token.op;
    SVC_CHECK(advance(true));
    if (m_token.kind != Kind::Word && m_token.kind != Kind::Quoted) return unexpected("a value");
    SVC_CHECK(take_value(comparison));
    return Test([comparison = std::move(comparison)](const Lookup& lookup) {
      return compare(comparison, lookup(comparison.field));
    });
  }

  Result<void> take_field(Comparison& comparison) {
    const std::string& name = m_token.text;
    const auto found = std::ranges::find_if(m_fields, [&](const Field& field) {
      const bool open = field.name.ends_with('*');
      return open ? sv(name).starts_with(field.name.substr(0, field.name.size() - 1))
                  : name == field.name;
    });
    if (found == m_fields.end()) {
      return usage_error(fmt::format("{} at column {} is not a field; the fields are {}",
                                     excerpt(name), m_token.column, list_fields(m_fields)));
    }
    comparison.field = name;
    comparison.match = found->match;
    return advance();
  }

  Result<void> take_value(Comparison& comparison) {
    comparison.text = m_token.text;
    const auto dots = comparison.text.find("..");
    if (comparison.op == Op::Has && m_token.kind == Kind::Word && dots != std::string::npos) {
      const auto low = number_for(comparison.match, comparison.text.substr(0, dots));
      const auto high = number_for(comparison.match, comparison.text.substr(dots + 2));
      if (low && high) comparison.range = {*low, *high};
    }
    comparison.number = number_for(comparison.match, comparison.text);
    const bool fits = comparison.number || comparison.range ||
                      (comparison.match != Match::Integer && comparison.match != Match::Time);
    if (!fits) {
      return usage_error(fmt::format("{} is compared with {} at column {}, which is not {}",
                                     comparison.field, excerpt(comparison.text), m_token.column,
                                     comparison.match == Match::Time
                                         ? "an RFC 3339 time such as 2026-01-31T00:00:00Z"
                                         : "a number"));
    }
    return advance();
  }

  Scanner m_scanner;
  std::span<const Field> m_fields;
  Token m_token{};
  int m_depth = 0;
};

}  // namespace

Result<Filter> Filter::parse(sv text, std::span<const Field> fields) {
  if (text.size() > k_max_length) {
    return usage_error(fmt::format("Invalid filter: it is longer than {} bytes.", k_max_length));
  }
  auto root = Parser(text, fields).parse();
  if (!root) return usage_error(fmt::format("Invalid filter: {}.", root.error().message));
  return Filter(std::move(*root));
}

}  // namespace svc::emulator::filter
