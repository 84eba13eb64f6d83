#include "print/markdown_inline.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

#include <fmt/format.h>

#include "base/text.h"

namespace svc::print {
namespace {

constexpr sv k_markup = "*_~`[]<&\\!:$";
constexpr std::size_t k_max_url = 1U << 20U;
constexpr std::size_t k_max_cited_url = 2000;
constexpr std::size_t k_max_runs = 128;      ///< emphasis marks that can be open at once
constexpr std::size_t k_examine_after = 64;  ///< bytes without a space

bool is_blank(char c) {
  return c == ' ' || c == '\n' || c == '\t';
}

bool is_punctuation(char c) {
  return (c >= '!' && c <= '/') || (c >= ':' && c <= '@') || (c >= '[' && c <= '`') ||
         (c >= '{' && c <= '~');
}

bool is_word(char c) {
  return is_letter(c) || is_digit(c) || static_cast<unsigned char>(c) >= 0x80;
}

std::size_t run_end(sv text, std::size_t at) {
  return std::min(text.find_first_not_of(text[at], at), text.size());
}

/// Writes text that may contain newlines.
void write_lines(Flow& flow, sv text, unsigned look) {
  for (bool first = true; const sv line : split(text, '\n')) {
    if (!std::exchange(first, false)) flow.newline();
    flow.text(line, look);
  }
}

/// Returns a URL with its escapes and entities replaced.
std::string plain_url(sv url) {
  std::string plain;
  for (std::size_t at = 0; at < url.size(); ++at) {
    if (url[at] == '\\' && at + 1 < url.size() && is_punctuation(url[at + 1])) {
      plain += url[++at];
    } else if (const std::size_t end = url[at] == '&' ? url.find(';', at) : sv::npos;
               end != sv::npos && end - at < 12) {
      plain += entity_text(url.substr(at, end + 1 - at));
      at = end;
    } else {
      plain += url[at];
    }
  }
  return plain;
}

bool is_citation(sv shown) {
  return shown.size() > 2 && shown.front() == '[' && shown.back() == ']' &&
         shown.substr(1, shown.size() - 2).find_first_not_of("0123456789") == sv::npos;
}

void add_citation(Citations& all, sv number, sv url) {
  const bool known =
      std::any_of(all.begin(), all.end(), [&](const auto& one) { return one.first == number; });
  if (!known) all.emplace_back(number, url);
}

enum class Kind : std::uint8_t { Text, Line, Mark, Bracket, LinkEnd, Code, Raw, Entity, Url };
enum Style : std::uint8_t { k_strong, k_em, k_del, k_styles };

struct Node {
  Kind kind;
  std::size_t begin;  ///< of the shown text in the source
  std::size_t end;
  bool open = false;    ///< not closed yet: as it will look if it is
  bool linked = false;  ///< a bracket that starts a link
  std::array<std::uint8_t, k_styles> closes{};
  std::array<std::uint8_t, k_styles> opens{};
  std::string url{};
};

/// An emphasis mark, until it is matched.
struct Run {
  std::size_t node;
  std::size_t begin;
  std::size_t count;
  std::size_t left;
  bool can_open;
  bool can_close;
  bool alone;  ///< does not follow a word
};

struct OpenBracket {
  std::size_t node;
  std::size_t begin;
  std::size_t runs;  ///< emphasis marks before it
  bool image;
  bool active = true;
};

/// Reads inline markup by CommonMark's rules, except that only ASCII punctuation counts next to
/// emphasis: with all of Unicode's, `**中文。**中文` would keep its marks. `open`: more text may
/// follow. A mark that is still open is then shown as if it were closed at the end.
class Markup {
 public:
  Markup(sv source, char before, std::size_t limit, bool open)
      : m_source(source), m_before(before), m_limit(limit), m_open(open), m_settled(source.size()) {
    for (std::size_t at = 0; at < m_source.size();) at = step(at);
    match(0);
    if (m_open) leave_open();
  }

  /// Returns the length of the text whose look nothing that follows can change.
  [[nodiscard]] std::size_t settled() const;
  /// Returns the start of an open formula (\( \[ $$), and its end mark.
  [[nodiscard]] std::pair<std::size_t, sv> open_formula() const {
    return {m_formula, m_formula_end};
  }

  void write(Flow& flow, unsigned base, Citations* citations) const;

 private:
  struct Target {
    enum { No, More, Yes } found = No;
    std::size_t end = 0;
    std::string url{};
  };

  std::size_t step(std::size_t at);
  std::size_t text(std::size_t begin, std::size_t end);
  std::size_t escape(std::size_t at);
  std::size_t code(std::size_t at);
  std::size_t dollars(std::size_t at);
  std::size_t formula(std::size_t at, sv end_mark);
  std::size_t run(std::size_t at);
  std::size_t open_bracket(std::size_t at, std::size_t size);
  std::size_t close_bracket(std::size_t at);
  std::size_t angle(std::size_t at);
  std::size_t entity(std::size_t at);
  std::size_t bare_url(std::size_t at);
  [[nodiscard]] std::size_t dollar_end(std::size_t at) const;
  [[nodiscard]] Target target(std::size_t at) const;
  [[nodiscard]] Target after_target(std::size_t at, std::string url) const;
  void match(std::size_t bottom);
  bool match_closer(std::size_t bottom, std::size_t at);
  void leave_open();

  Node& add(Kind kind, std::size_t begin, std::size_t end) {
    return m_nodes.emplace_back(Node{.kind = kind, .begin = begin, .end = end});
  }
  /// The text from here on may still change.
  void unsettled(std::size_t at) { m_settled = std::min(m_settled, at); }
  [[nodiscard]] bool within(std::size_t at) const { return m_source.size() - at <= m_limit; }
  [[nodiscard]] char before(std::size_t at) const { return at > 0 ? m_source[at - 1] : m_before; }
  [[nodiscard]] bool at_end(std::size_t at) const { return m_open && at >= m_source.size(); }

  sv m_source;
  char m_before;
  std::size_t m_limit;
  bool m_open;
  std::size_t m_settled;
  std::size_t m_formula = sv::npos;
  sv m_formula_end{};
  std::vector<Node> m_nodes{};
  std::vector<Run> m_runs{};
  std::vector<OpenBracket> m_brackets{};
  std::vector<std::pair<std::size_t, std::size_t>> m_spans{};  ///< of emphasis and links
};

std::size_t Markup::step(std::size_t at) {
  switch (m_source[at]) {
    case '\\':
      return escape(at);
    case '`':
      return code(at);
    case '$':
      return dollars(at);
    case '*':
    case '_':
    case '~':
      return run(at);
    case '!':
      if (at_end(at + 1)) {
        unsettled(at);
        return at + 1;
      }
      return m_source.substr(at + 1).starts_with('[') ? open_bracket(at, 2) : text(at, at + 1);
    case '[':
      return open_bracket(at, 1);
    case ']':
      return close_bracket(at);
    case '<':
      return angle(at);
    case '&':
      return entity(at);
    case '\n':
      add(Kind::Line, at, at + 1);
      return at + 1;
    case 'h':
      return bare_url(at);
    default:
      return text(at, std::min(m_source.find_first_of("\\`$*_~![]<&\nh", at), m_source.size()));
  }
}

std::size_t Markup::text(std::size_t begin, std::size_t end) {
  if (!m_nodes.empty() && m_nodes.back().kind == Kind::Text && m_nodes.back().end == begin) {
    m_nodes.back().end = end;
  } else {
    add(Kind::Text, begin, end);
  }
  return end;
}

std::size_t Markup::escape(std::size_t at) {
  if (at_end(at + 1)) {
    unsettled(at);
    return at + 1;
  }
  const char next = at + 1 < m_source.size() ? m_source[at + 1] : ' ';
  if (next == '\n') return at + 1;  // a hard line break
  if (next == '(') return formula(at, "\\)");
  if (next == '[') return formula(at, "\\]");
  // These are marks of formulas.
  if (next == '{' || next == '}' || next == '\\') return text(at, at + 2);
  if (!is_punctuation(next)) return text(at, at + 1);
  add(Kind::Text, at + 1, at + 2);
  return at + 2;
}

std::size_t Markup::code(std::size_t at) {
  const std::size_t begin = run_end(m_source, at);
  const std::size_t length = begin - at;
  std::size_t end = m_source.find('`', begin);
  std::size_t after = 0;
  for (; end != sv::npos && end - at <= m_limit; end = m_source.find('`', after)) {
    after = run_end(m_source, end);
    if (after - end != length) continue;
    sv inside = m_source.substr(begin, end - begin);
    const bool spaced = inside.size() > 2 && inside.starts_with(' ') && inside.ends_with(' ');
    const std::size_t trimmed = spaced && !trim(inside).empty() ? 1 : 0;
    add(Kind::Code, begin + trimmed, end - trimmed);
    m_spans.emplace_back(at, after);
    if (at_end(after)) unsettled(at);
    return after;
  }
  if (!m_open || m_source.size() - at >= m_limit + length) return text(at, begin);
  unsettled(at);
  const std::size_t last = m_source.find_last_not_of('`');
  if (last == sv::npos || last < begin) return m_source.size();
  add(Kind::Code, begin, last + 1).open = true;
  return m_source.size();
}

/// Returns the end of the formula `$ … $`; `at` if there is none, npos if it may still come. It is
/// closed on its line; "$5 and more" is money.
std::size_t Markup::dollar_end(std::size_t at) const {
  if (at + 1 >= m_source.size()) return m_open ? sv::npos : at;
  if (is_blank(m_source[at + 1])) return at;
  const std::size_t number = m_source.find_first_not_of("0123456789.,", at + 1);
  if (number != sv::npos && is_blank(m_source[number])) return at;
  for (std::size_t end = at + 1; end < m_source.size(); ++end) {
    if (m_source[end] == '\n' || end - at > m_limit) return at;
    if (m_source[end] == '\\') {
      ++end;
    } else if (m_source[end] == '$') {
      return is_blank(m_source[end - 1]) ? at : end + 1;
    }
  }
  return m_open && within(at) ? sv::npos : at;
}

std::size_t Markup::dollars(std::size_t at) {
  if (m_source.substr(at).starts_with("$$")) return formula(at, "$$");
  const std::size_t end = dollar_end(at);
  if (end == sv::npos) unsettled(at);
  if (at_end(at + 1)) return at + 1;
  if (end == sv::npos || end == at) return text(at, at + 1);
  add(Kind::Raw, at, end);
  m_spans.emplace_back(at, end);
  return end;
}

std::size_t Markup::formula(std::size_t at, sv end_mark) {
  std::size_t end = at + 2;
  for (; end + 1 < m_source.size() && !m_source.substr(end).starts_with(end_mark); ++end) {
    if (m_source[end] == '\\') ++end;
  }
  if (end + 1 < m_source.size() && end - at <= m_limit) {
    add(Kind::Raw, at, end + 2);
    m_spans.emplace_back(at, end + 2);
    return end + 2;
  }
  if (!m_open) return text(at, at + 2);
  unsettled(at);
  m_formula = at;
  m_formula_end = end_mark;
  add(Kind::Raw, at, m_source.size());
  return m_source.size();
}

std::size_t Markup::run(std::size_t at) {
  const std::size_t end = run_end(m_source, at);
  const std::size_t count = end - at;
  const bool last = at_end(end);
  if (last) unsettled(at);
  if (!last && ((m_source[at] == '~' && count != 2) || m_runs.size() >= k_max_runs)) {
    return text(at, end);
  }
  const char previous = before(at);
  const char next = end < m_source.size() ? m_source[end] : ' ';
  const bool left =
      !is_blank(next) && (!is_punctuation(next) || is_blank(previous) || is_punctuation(previous));
  const bool right =
      !is_blank(previous) && (!is_punctuation(previous) || is_blank(next) || is_punctuation(next));
  const bool inner = m_source[at] == '_' && left && right;
  const bool can_open = left && (!inner || is_punctuation(previous));
  const bool can_close = right && (!inner || is_punctuation(next));
  add(Kind::Mark, at, end).open = last;  // an incomplete mark is not shown
  m_runs.push_back(
      {m_nodes.size() - 1, at, count, count, can_open && !last, can_close, !is_word(previous)});
  return end;
}

std::size_t Markup::open_bracket(std::size_t at, std::size_t size) {
  add(Kind::Bracket, at, at + size);
  m_brackets.push_back({m_nodes.size() - 1, at, m_runs.size(), size == 2});
  return at + size;
}

std::size_t Markup::close_bracket(std::size_t at) {
  if (m_brackets.empty()) return text(at, at + 1);
  const OpenBracket bracket = m_brackets.back();
  if (!bracket.active || at - bracket.begin > m_limit) {
    m_brackets.pop_back();
    return text(at, at + 1);
  }
  Target found;
  if (at_end(at + 1)) {
    found.found = Target::More;
  } else if (m_source.substr(at + 1).starts_with('(')) {
    found = target(at + 2);
  }
  if (found.found == Target::More && m_source.size() - at > k_max_url) found.found = Target::No;
  m_brackets.pop_back();
  if (found.found == Target::No) return text(at, at + 1);
  const bool more = found.found == Target::More;
  if (more) {
    unsettled(bracket.begin);
    for (const OpenBracket& outer : m_brackets) {
      if (outer.active && within(outer.begin)) unsettled(outer.begin);
    }
  }
  Node& start = m_nodes[bracket.node];
  start.linked = true;
  start.url = found.url;
  add(Kind::LinkEnd, at, at).open = more;
  match(bracket.runs);
  m_runs.resize(bracket.runs);
  m_spans.emplace_back(bracket.begin, more ? m_source.size() : found.end);
  for (OpenBracket& outer : m_brackets)
    outer.active = outer.active && (bracket.image || outer.image);
  return more ? m_source.size() : found.end;
}

/// Reads a link's target after its parenthesis: `URL)` or `URL "title")`.
Markup::Target Markup::target(std::size_t at) const {
  const Target more{m_open ? Target::More : Target::No, 0, {}};
  at = m_source.find_first_not_of(" \t\n", at);
  if (at == sv::npos) return more;
  std::size_t end = at;
  if (m_source[at] == '<') {
    end = m_source.find_first_of(">\n", at);
    if (end == sv::npos) return more;
    if (m_source[end] == '\n') return {};
    return after_target(end + 1, plain_url(m_source.substr(at + 1, end - at - 1)));
  }
  for (std::size_t depth = 0; end < m_source.size() && !is_blank(m_source[end]); ++end) {
    if (m_source[end] == '\\') {
      ++end;
    } else if (m_source[end] == '(') {
      ++depth;
    } else if (m_source[end] == ')' && depth-- == 0) {
      break;
    }
  }
  if (end >= m_source.size()) return more;
  return after_target(end, plain_url(m_source.substr(at, end - at)));
}

Markup::Target Markup::after_target(std::size_t at, std::string url) const {
  const Target more{m_open ? Target::More : Target::No, 0, {}};
  const std::size_t next = m_source.find_first_not_of(" \t\n", at);
  if (next == sv::npos) return more;
  if (m_source[next] == ')') return {Target::Yes, next + 1, std::move(url)};
  if (next == at || sv("\"'(").find(m_source[next]) == sv::npos) return {};
  const char quote = m_source[next] == '(' ? ')' : m_source[next];
  const std::size_t end = m_source.find(quote, next + 1);
  const std::size_t close = end == sv::npos ? end : m_source.find_first_not_of(" \t\n", end + 1);
  if (close == sv::npos) return more;
  if (m_source[close] != ')') return {};
  return {Target::Yes, close + 1, std::move(url)};
}

/// `<https://example.com>`; any other tag is text.
std::size_t Markup::angle(std::size_t at) {
  const std::size_t end = m_source.find_first_of("> \n\t<", at + 1);
  if (end == sv::npos && m_open && within(at)) unsettled(at);
  const bool closed = end != sv::npos && m_source[end] == '>' && end - at <= m_limit;
  if (!closed) return text(at, at + 1);
  const sv inside = m_source.substr(at + 1, end - at - 1);
  const std::size_t scheme = inside.find_first_of(":@");
  if (scheme == sv::npos || scheme == 0 || !is_letter(inside.front())) return text(at, at + 1);
  add(Kind::Url, at + 1, end);
  return end + 1;
}

std::size_t Markup::entity(std::size_t at) {
  constexpr std::size_t k_longest = 12;
  std::size_t end = at + 1;
  while (end < m_source.size() && end - at < k_longest &&
         (is_letter(m_source[end]) || is_digit(m_source[end]) || m_source[end] == '#')) {
    ++end;
  }
  if (at_end(end) && end - at < k_longest) {
    unsettled(at);
    return end;
  }
  if (end == m_source.size() || m_source[end] != ';' || end == at + 1) return text(at, at + 1);
  add(Kind::Entity, at, end + 1);
  return end + 1;
}

std::size_t Markup::bare_url(std::size_t at) {
  const sv rest = m_source.substr(at);
  const bool begins = rest.starts_with("http://") || rest.starts_with("https://");
  if (!begins || is_word(before(at))) {
    const bool may_begin = sv("https://").starts_with(rest) || sv("http://").starts_with(rest);
    if (m_open && may_begin) unsettled(at);
    const std::size_t end = m_source.find_first_of("\\`$*_~![]<&\nh", at + 1);
    return text(at, std::min(end, m_source.size()));
  }
  std::size_t end = 0;
  std::size_t depth = 0;
  for (; end < rest.size() && sv(" \t\n<>\"`[]|*").find(rest[end]) == sv::npos &&
         static_cast<unsigned char>(rest[end]) < 0x80;
       ++end) {
    if (rest[end] == '(') ++depth;
    if (rest[end] == ')' && depth-- == 0) break;
  }
  if (end > m_limit) return text(at, at + 1);  // its start had to be shown before its end came
  const bool more = at_end(at + end);
  if (more) unsettled(at);
  while (end > 0 && sv("?!.,:;'_~").find(rest[end - 1]) != sv::npos) --end;
  add(Kind::Url, at, at + end).open = more;
  m_spans.emplace_back(at, at + end);
  return at + end;
}

void Markup::match(std::size_t bottom) {
  for (std::size_t at = bottom; at < m_runs.size(); ++at) {
    while (m_runs[at].can_close && m_runs[at].left > 0 && match_closer(bottom, at)) {
    }
  }
}

bool Markup::match_closer(std::size_t bottom, std::size_t at) {
  Run& closer = m_runs[at];
  const char mark = m_source[closer.begin];
  for (std::size_t i = at; i-- > bottom;) {
    Run& opener = m_runs[i];
    if (closer.begin - opener.begin > m_limit) return false;
    if (!opener.can_open || opener.left == 0 || m_source[opener.begin] != mark) continue;
    const bool either = opener.can_close || closer.can_open;
    const bool threes = opener.count % 3 == 0 && closer.count % 3 == 0;
    if (mark != '~' && either && (opener.count + closer.count) % 3 == 0 && !threes) continue;
    const std::size_t size = opener.left > 1 && closer.left > 1 ? 2 : 1;
    const Style style = mark == '~' ? k_del : size == 2 ? k_strong : k_em;
    ++m_nodes[opener.node].opens[style];
    ++m_nodes[closer.node].closes[style];
    opener.left -= size;
    closer.left -= size;
    m_nodes[opener.node].end -= size;
    m_nodes[closer.node].begin += size;
    m_spans.emplace_back(opener.begin, m_nodes[closer.node].begin);
    for (std::size_t between = i + 1; between < at; ++between) m_runs[between].can_open = false;
    return true;
  }
  return false;
}

/// Shows what is still open as it will look once it is closed.
void Markup::leave_open() {
  // A mark at the end may be incomplete: it counts from where it begins.
  const std::size_t last = m_source.find_last_not_of("*_~");
  const std::size_t end = last == sv::npos ? 0 : last + 1;
  for (const Run& run : m_runs) {
    if (!run.can_open || run.left == 0 || end > run.begin + m_limit) continue;
    unsettled(run.begin);
    Node& node = m_nodes[run.node];
    if (run.left > 3 || (run.left == 1 && !run.alone)) continue;  // rather `2*3`
    node.end = node.begin;
    if (m_source[run.begin] == '~') ++node.opens[k_del];
    if (m_source[run.begin] != '~' && run.left > 1) ++node.opens[k_strong];
    if (m_source[run.begin] != '~' && run.left != 2) ++node.opens[k_em];
  }
  bool first = true;
  for (const OpenBracket& bracket : m_brackets) {
    if (!bracket.active || !within(bracket.begin)) continue;
    unsettled(bracket.begin);
    if (std::exchange(first, false)) m_nodes[bracket.node].linked = true;
  }
}

std::size_t Markup::settled() const {
  std::size_t at = m_settled;
  for (bool again = true; std::exchange(again, false);) {
    for (const auto& [begin, end] : m_spans) {
      if (begin >= at || end <= at) continue;
      at = begin;
      again = true;
    }
  }
  return at;
}

/// Writes the nodes in their looks.
class Writer {
 public:
  Writer(Flow& flow, sv source, unsigned base, Citations* citations)
      : m_flow(flow), m_source(source), m_base(base), m_citations(citations) {}

  void write(const Node& node) {
    const sv shown = m_source.substr(node.begin, node.end - node.begin);
    switch (node.kind) {
      case Kind::Text:
        return text(shown);
      case Kind::Line:
        return m_flow.newline();
      case Kind::Mark:
        return mark(node, shown);
      case Kind::Bracket:
        if (!node.linked) return text(shown);
        return begin_link(node, shown.size() == 2);
      case Kind::LinkEnd:
        return end_link(node.open);
      case Kind::Entity:
        return text(entity_text(shown));
      case Kind::Code:
        if (m_flow.terminal().shows_marks()) text("`");
        text(shown, k_look_cyan);
        if (m_flow.terminal().shows_marks() && !node.open) text("`");
        return;
      case Kind::Raw:
        return text(shown);
      case Kind::Url:
        if (!node.open) m_flow.link(shown);
        text(shown, k_look_underline);
        m_flow.link(m_links.empty() ? std::string() : m_links.back().node->url);
        return;
    }
  }

 private:
  struct Link {
    const Node* node;
    bool image;
    std::string shown{};
  };

  [[nodiscard]] unsigned look() const {
    constexpr std::array<unsigned, k_styles> k_looks = {k_look_bold, k_look_italic, k_look_strike};
    unsigned look = m_base;
    for (std::size_t i = 0; i < k_styles; ++i) look |= m_depth[i] > 0 ? k_looks[i] : 0U;
    const bool linked =
        std::any_of(m_links.begin(), m_links.end(), [](const Link& link) { return !link.image; });
    if (linked) look |= k_look_underline;
    return look;
  }

  void text(sv shown, unsigned more = 0) {
    if (!m_links.empty()) m_links.back().shown += shown;
    write_lines(m_flow, shown, look() | more);
  }

  /// Without looks, the marks themselves are shown.
  void mark(const Node& node, sv left) {
    constexpr std::array<sv, k_styles> k_marks = {"**", "*", "~~"};
    const auto each = [&](const auto& counts, int by) {
      for (std::size_t style = 0; style < k_styles; ++style) {
        for (std::uint8_t i = 0; i < counts[style]; ++i) {
          m_depth[style] += by;
          if (m_flow.terminal().shows_marks()) m_flow.text(k_marks[style], m_base);
        }
      }
    };
    each(node.closes, -1);
    if (!node.open) text(left);
    each(node.opens, 1);
  }

  void begin_link(const Node& node, bool image) {
    m_links.push_back({&node, image});
    if (image) return m_flow.text("[image: ", m_base);
    m_flow.link(node.url);
  }

  void end_link(bool open) {
    if (m_links.empty()) return;
    const Link link = std::move(m_links.back());
    m_links.pop_back();
    if (link.image && !open) m_flow.text("]", m_base);
    m_flow.link({});
    const std::string& url = link.node->url;
    if (!m_links.empty()) m_links.back().shown += link.shown;
    if (open || url.empty() || url == link.shown) return;
    if (m_citations != nullptr && is_citation(link.shown)) {
      return add_citation(*m_citations, sv(link.shown).substr(1, link.shown.size() - 2), url);
    }
    // Always show the URL: a link's text may differ from its target.
    m_flow.text(" (" + url + ")", m_base | k_look_dim);
  }

  Flow& m_flow;
  sv m_source;
  unsigned m_base;
  Citations* m_citations;
  std::array<int, k_styles> m_depth{};
  std::vector<Link> m_links{};
};

void Markup::write(Flow& flow, unsigned base, Citations* citations) const {
  Writer writer(flow, m_source, base, citations);
  for (const Node& node : m_nodes) writer.write(node);
}

}  // namespace

/// Returns how `held` is shown if it is a citation, `[[1]](URL)`; nothing if it cannot become one,
/// "" if it may.
std::optional<std::pair<sv, sv>> plain_citation(sv held) {
  constexpr std::pair<sv, sv> k_more{};
  if (!sv("[[").starts_with(held.substr(0, 2))) return std::nullopt;
  const std::size_t end = std::min(held.find_first_not_of("0123456789", 2), held.size());
  const sv rest = held.substr(std::min(end, held.size()));
  if (held.size() <= 2 || rest.empty()) return k_more;
  constexpr sv k_between = "]](";
  if (end == 2 || !k_between.starts_with(rest.substr(0, k_between.size()))) return std::nullopt;
  if (rest.size() <= k_between.size()) return k_more;
  if (is_blank(rest.back()) || rest.size() > k_max_cited_url) return std::nullopt;
  if (rest.back() != ')') return k_more;
  const sv url = rest.substr(k_between.size());
  return std::pair(held.substr(2, end - 2), url.substr(0, url.size() - 1));
}

void InlineText::feed_plain(Flow& flow, char c) {
  const bool starts = (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
  if (starts) {
    const std::string held = m_held + c;
    const auto cited = plain_citation(held);
    if (cited && cited->first.empty()) {
      m_held += c;
      return;
    }
    if (cited) {
      add_citation(m_citations, cited->first, cited->second);
      write_lines(flow, fmt::format("[{}]", cited->first), m_base);
      return m_held.clear();
    }
    if (!m_held.empty()) write_lines(flow, std::exchange(m_held, {}), m_base);
  }
  m_held += c;
}

void InlineText::commit(Flow& flow) {
  if (!flow.raw()) {
    m_changed = true;
    if (!m_held.empty() && m_literal.empty()) advance(flow, false);
  } else if (!m_held.empty() && !plain_citation(m_held)) {
    write_lines(flow, std::exchange(m_held, {}), m_base);
  }
  flow.commit_word();
}

void InlineText::feed(Flow& flow, sv piece) {
  for (const char c : piece) {
    if (flow.raw()) {
      feed_plain(flow, c);
      continue;
    }
    if (!m_literal.empty()) {
      literal(flow, c);
      continue;
    }
    const bool starts = (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
    if (starts && m_held.size() >= std::max(m_next, k_examine_after)) {
      advance(flow, false);
      if (!m_literal.empty()) {  // a long formula became text
        literal(flow, c);
        continue;
      }
    }
    m_held += c;
    const bool mark = k_markup.find(c) != sv::npos;
    m_marked = m_marked || mark;
    m_changed = m_changed || mark || c == ')';
    if (is_blank(c)) advance(flow, true);
  }
}

/// Outputs what nothing can change any more.
void InlineText::advance(Flow& flow, bool at_blank) {
  if (!m_marked && at_blank) return show(flow, m_held.size());
  if (!m_changed && m_held.size() < m_next) return;
  m_changed = false;
  const Markup markup(m_held, m_before, m_limit, true);
  const std::size_t settled = markup.settled();
  const auto [formula, end] = markup.open_formula();
  // One more: an end mark at the limit is seen with its second byte.
  const bool too_long = formula != sv::npos && m_held.size() - formula > m_limit + 1;
  if (settled > 0) show(flow, settled);
  // Marks that stay open become text once they are too long.
  m_next = m_held.size() + std::max(k_examine_after, m_limit / 4);
  if (!too_long || settled != formula) return;
  const std::string rest = std::exchange(m_held, {});
  m_literal = end;
  write_lines(flow, sv(rest).substr(0, 2), m_base);
  feed(flow, sv(rest).substr(2));
}

/// Takes a character of the rest of a long formula.
void InlineText::literal(Flow& flow, char c) {
  m_held += c;
  const bool ends = m_held.ends_with(m_literal);
  if (!ends && !is_blank(c)) return;
  if (ends) m_literal.clear();
  write_lines(flow, std::exchange(m_held, {}), m_base);
}

void InlineText::show(Flow& flow, std::size_t size) {
  const sv text = sv(m_held).substr(0, size);
  if (m_marked && !flow.raw()) {
    Markup(text, m_before, m_limit, false).write(flow, m_base, &m_citations);
  } else {
    write_lines(flow, text, m_base);
  }
  if (!text.empty()) m_before = text.back();
  m_held.erase(0, size);
  m_marked = m_held.find_first_of(k_markup) != std::string::npos;
  m_next = 0;
}

/// A long formula becomes text where its length says so, not where the text happened to be
/// examined.
void InlineText::settle_formula(Flow& flow) {
  for (std::size_t size = 0; !flow.raw() && m_literal.empty() && size != m_held.size();) {
    if (m_held.find_first_of("\\$") == std::string::npos) return;
    size = m_held.size();
    m_changed = true;
    advance(flow, false);
  }
}

void InlineText::finish(Flow& flow) {
  settle_formula(flow);
  if (!m_literal.empty()) {
    write_lines(flow, std::exchange(m_held, {}), m_base);
    m_literal.clear();
  }
  show(flow, m_held.size());
  m_before = ' ';
  m_changed = false;
}

void InlineText::preview(Flow& flow) const {
  if (!m_literal.empty() || !m_marked) return write_lines(flow, m_held, m_base);
  Citations ignored;
  Markup(m_held, m_before, m_limit, true).write(flow, m_base, &ignored);
}

bool InlineText::in_formula(Flow& flow) {
  settle_formula(flow);
  if (!m_literal.empty()) return true;
  if (m_held.find_first_of("\\$") == std::string::npos) return false;
  return Markup(m_held, m_before, m_limit, true).open_formula().first != sv::npos;
}

void inline_markup(Flow& flow, sv source, unsigned base_look) {
  Citations ignored;
  Markup(source, ' ', source.size(), false).write(flow, base_look, &ignored);
}

std::string entity_text(sv entity) {
  constexpr auto k_named = std::to_array<std::pair<sv, sv>>(
      {{"&amp;", "&"},    {"&lt;", "<"},        {"&gt;", ">"},     {"&quot;", "\""},
       {"&apos;", "'"},   {"&nbsp;", "\u00A0"}, {"&ndash;", "–"},  {"&mdash;", "—"},
       {"&hellip;", "…"}, {"&copy;", "©"},      {"&reg;", "®"},    {"&trade;", "™"},
       {"&deg;", "°"},    {"&times;", "×"},     {"&plusmn;", "±"}, {"&euro;", "€"},
       {"&rarr;", "→"},   {"&larr;", "←"},      {"&middot;", "·"}, {"&bull;", "•"}});
  for (const auto& [name, text] : k_named) {
    if (name == entity) return std::string(text);
  }
  if (!entity.starts_with("&#") || entity.size() > 12) return std::string(entity);
  const bool hexadecimal = entity[2] == 'x' || entity[2] == 'X';
  const std::size_t begin = hexadecimal ? 3 : 2;
  const sv digits = entity.substr(begin, entity.size() - 1 - begin);
  const sv possible = hexadecimal ? sv("0123456789abcdefABCDEF") : sv("0123456789");
  if (digits.empty() || digits.find_first_not_of(possible) != sv::npos) return std::string(entity);
  char32_t code = 0;
  for (const char c : digits) {
    const char lower = c >= 'A' && c <= 'F' ? static_cast<char>(c + 32) : c;
    const int digit = lower >= 'a' ? lower - 'a' + 10 : lower - '0';
    code = code * (hexadecimal ? 16 : 10) + static_cast<char32_t>(digit);
  }
  if (code == 0 || code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF)) code = 0xFFFD;
  std::string text;
  append_utf8(text, code);
  return visible(text, Lines::Escape);
}

}  // namespace svc::print
