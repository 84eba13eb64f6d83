#include "print/markdown_inline.h"

#include <algorithm>
#include <utility>

#include "base/text.h"

namespace svc::print {
namespace {

constexpr std::size_t k_max_emphasis = 240;  ///< characters to wait for the end of an emphasis
constexpr std::size_t k_max_inner = 80;      ///< of a code span, link or formula
constexpr std::size_t k_max_held = 2048;     ///< bytes, including a URL
constexpr std::size_t k_max_opened = 64;
constexpr std::chrono::milliseconds k_max_emphasis_length{600};
constexpr std::chrono::milliseconds k_silence{140};
constexpr sv k_markup = "*_~`[]()<>&\\!:$";

bool is_blank(char c) {
  return c == ' ' || c == '\n' || c == '\t';
}

bool is_word(char c) {
  return is_letter(c) || is_digit(c) || static_cast<unsigned char>(c) >= 0x80;
}

}  // namespace

void InlineText::feed(sv piece) {
  m_fed = m_clock();
  for (const char c : piece) take(c);
}

bool InlineText::waits_inside() const noexcept {
  return m_code > 0 || m_brackets > 0 || m_parens > 0 || !m_formula.empty();
}

void InlineText::begin_hold(Hold& hold, bool wanted) {
  if (wanted && !hold.open) hold = {true, m_held.size() - 1, 0, m_fed};
  hold.open = wanted;
}

bool InlineText::held_too_long() const noexcept {
  if (m_held.size() >= k_max_held) return true;
  if (m_run_length > 0 || m_literal) return false;
  const bool address = m_parens > 0 && m_may_be_url;
  if (m_inner.open && !address && m_inner.characters >= k_max_inner) return true;
  return m_emphasis.open && !m_inner.open && m_emphasis.characters >= k_max_emphasis;
}

void InlineText::take(char c) {
  const auto byte = static_cast<unsigned char>(c);
  if ((byte & 0xC0U) != 0x80U) {
    // East Asian text has no spaces to split at.
    const bool may_cut = m_lead >= 0xE3U && m_run_length == 0 && !m_label_ended && idle();
    if (may_cut) give_out();
    if (held_too_long()) m_literal ? give_out() : give_up();
    ++m_emphasis.characters;
    ++m_inner.characters;
    m_lead = byte;
  }
  if (m_raw_code > 0) {
    raw_code(c);
  } else if (!m_formula.empty()) {
    formula(c);
  } else {
    markup(c);
  }
  m_last = c;
  begin_hold(m_emphasis, !idle());
  begin_hold(m_inner, waits_inside());
  if (is_blank(c) && (idle() || m_literal)) give_out();
}

void InlineText::markup(char c) {
  if (m_run_length > 0 && c != m_run) end_run(c);
  const std::size_t dollars = c == '$' ? 0 : std::exchange(m_dollars, 0);
  if (m_code == 0 && dollars == 2) return begin_formula("$$"), formula(c);
  if (m_code == 0 && dollars == 1 && !is_blank(c)) return begin_formula("$"), formula(c);
  m_held += c;
  m_marked = m_marked || k_markup.find(c) != sv::npos;
  if (m_escaped) {
    m_escaped = false;
    if (c == '(') begin_formula("\\)");
    if (c == '[') begin_formula("\\]");
  } else if (c == '`' || (m_code == 0 && (c == '*' || c == '_' || c == '~'))) {
    if (m_run_length == 0) m_before_run = m_last;
    m_run = c;
    ++m_run_length;
  } else if (m_code == 0) {
    m_escaped = c == '\\';
    if (c == '$') ++m_dollars;
    brackets(c);
  }
}

/// Its opening mark is already buffered.
void InlineText::begin_formula(sv end) {
  m_formula = end;
  m_dollars = 0;
  m_escaped = false;
}

/// A formula contains no markup.
void InlineText::formula(char c) {
  m_held += c;
  m_marked = true;
  const bool escaped = std::exchange(m_escaped, false);
  if (m_formula.front() == '\\') {
    if (escaped && c == m_formula[1]) return end_literal();
    m_escaped = !escaped && c == '\\';
    return;
  }
  m_escaped = !escaped && c == '\\';
  const bool dollar = c == '$' && !escaped;
  m_dollars = dollar ? m_dollars + 1 : 0;
  if (m_formula.size() == 2) {
    if (m_dollars == 2) end_literal();
    return;
  }
  if (dollar && !is_blank(m_last)) return end_literal();
  // "$5 and more" is money; a formula must be closed on its line.
  const std::size_t number = m_held.rfind('$') + 1;
  const bool money =
      is_blank(c) && m_held.find_first_not_of("0123456789.,", number) + 1 >= m_held.size();
  if (c == '\n' || (money && !m_literal)) end_literal();
}

void InlineText::end_literal() {
  m_formula.clear();
  m_dollars = 0;
  m_escaped = false;
  m_raw_code = 0;
  if (!m_literal) return;
  give_out();
  m_literal = false;
}

/// Handles the rest of a code span that was buffered long enough.
void InlineText::raw_code(char c) {
  if (c != '`' && m_run_length == m_raw_code) {
    m_run_length = 0;
    end_literal();
    return markup(c);
  }
  m_run_length = c == '`' ? m_run_length + 1 : 0;
  m_held += c;
  if (c == '\n') {
    m_run_length = 0;
    end_literal();
  }
}

/// Stops waiting for open marks to close.
void InlineText::give_up() {
  const bool formula = !m_formula.empty() &&
                       (m_formula != "$" || m_held.find_first_of("\\^_{", m_inner.at) != sv::npos);
  const std::size_t code = m_code;
  if (!m_inner.open || (!formula && code == 0)) {
    m_formula.clear();
    return give_out();
  }
  const std::string end = m_formula;
  std::string rest = m_held.substr(m_inner.at);
  m_held.resize(m_inner.at);
  // The mark precedes the position where it was recognized.
  while (!m_held.empty() && sv("`$\\([").find(m_held.back()) != sv::npos) {
    rest.insert(rest.begin(), m_held.back());
    m_held.pop_back();
  }
  give_out();
  m_held = std::move(rest);
  m_formula = end;
  m_raw_code = end.empty() ? code : 0;
  m_literal = true;
}

void InlineText::brackets(char c) {
  if (m_label_ended && c == '(') {
    m_parens = 1;
    m_may_be_url = true;
  } else if (m_parens > 0) {
    if (is_blank(c) || static_cast<unsigned char>(c) >= 0x80) m_may_be_url = false;
    if (c == '(') ++m_parens;
    if (c == ')' || c == '\n') --m_parens;
  } else if (c == '[') {
    ++m_brackets;
  } else if (c == ']' && m_brackets > 0) {
    --m_brackets;
    m_label_ended = true;
    return;
  }
  m_label_ended = false;
}

void InlineText::end_run(char next) {
  if (m_run == '`') {
    if (m_code == 0) {
      m_code = m_run_length;
    } else if (m_code == m_run_length) {
      m_code = 0;
    }
  } else {
    marks(next);
  }
  m_run_length = 0;
}

/// Roughly CommonMark's rules: a mistake here only delays text or shows a mark.
void InlineText::marks(char next) {
  std::size_t count = m_run_length;
  const bool alone = is_blank(m_before_run) || !is_word(m_before_run);
  const bool before_word = !is_blank(next) && (is_word(next) || alone);
  const bool after_word = !is_blank(m_before_run);
  const bool within = is_word(m_before_run) && is_word(next);
  if (m_run == '_' && within) return;
  if (after_word) close_marks(m_run, count);
  if (count > 0 && before_word && m_opened.size() < k_max_opened) {
    m_opened.push_back({m_run, count});
  }
}

void InlineText::close_marks(char mark, std::size_t& count) {
  for (std::size_t at = m_opened.size(); at > 0 && count > 0; --at) {
    Opened& open = m_opened[at - 1];
    if (open.mark != mark) continue;
    const std::size_t closed = std::min(open.count, count);
    open.count -= closed;
    count -= closed;
    m_opened.resize(open.count > 0 ? at : at - 1);
  }
}

bool InlineText::idle() const noexcept {
  return m_run_length == 0 && m_opened.empty() && m_dollars == 0 && !waits_inside();
}

void InlineText::release() {
  const auto now = m_clock();
  const bool address = m_parens > 0 && m_may_be_url;
  if (m_inner.open && !address && now - m_inner.since >= k_max_hold) {
    if (!m_literal) give_up();
  } else if (m_emphasis.open && !m_inner.open && now - m_emphasis.since >= k_max_emphasis_length) {
    give_up();
  }
  if (now - m_fed < k_silence) return;
  if (idle() || m_literal) give_out();
  m_flow.release_word();
}

void InlineText::finish() {
  give_out();
  m_formula.clear();
  m_raw_code = 0;
  m_literal = false;
  m_last = ' ';
}

void InlineText::give_out() {
  std::string text;
  text.swap(m_held);
  const bool marked = m_marked && !m_literal;
  m_marked = false;
  if (!m_literal) {
    m_escaped = m_label_ended = false;
    m_code = m_brackets = m_parens = m_run_length = m_dollars = 0;
    m_opened.clear();
    m_emphasis = m_inner = {};
  }
  show(std::move(text), marked);
}

void InlineText::show(std::string text, bool marked) {
  const bool ends = text.ends_with('\n');
  if (ends) text.pop_back();
  if (marked) {
    // A hard line break; two backslashes belong to a formula.
    const std::size_t last = text.find_last_not_of('\\');
    const std::size_t slashes = text.size() - (last == sv::npos ? 0 : last + 1);
    if (ends && slashes % 2 == 1) text.pop_back();
    inline_markup(m_flow, text, m_base);
  } else {
    m_flow.text(text, m_base);
  }
  if (ends) m_flow.newline();
}

}  // namespace svc::print
