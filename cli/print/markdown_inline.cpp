#include "print/markdown_inline.h"

#include <algorithm>

namespace svc::print {
namespace {

constexpr std::size_t k_most_held_marks = 512;  ///< bytes that wait for the end of an emphasis
constexpr std::size_t k_most_held_link = 2048;  ///< or of a code span or link
constexpr std::size_t k_most_opened = 64;
constexpr sv k_markup = "*_~`[]()<>&\\!:";

bool is_blank(char c) {
  return c == ' ' || c == '\n' || c == '\t';
}

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         static_cast<unsigned char>(c) >= 0x80;
}

}  // namespace

void InlineText::feed(sv piece) {
  for (const char c : piece) take(c);
}

void InlineText::take(char c) {
  const auto byte = static_cast<unsigned char>(c);
  if ((byte & 0xC0U) != 0x80U) {
    const bool link = m_code > 0 || m_brackets > 0 || m_parens > 0;
    // East Asian text has no blanks to cut at.
    const bool may_cut = m_lead >= 0xE3U && m_run_length == 0 && !m_label_ended && idle();
    if (may_cut || m_held.size() >= (link ? k_most_held_link : k_most_held_marks)) give_out();
    m_lead = byte;
  }
  if (m_run_length > 0 && c != m_run) end_run(c);
  m_held += c;
  m_marked = m_marked || k_markup.find(c) != sv::npos;
  if (m_escaped) {
    m_escaped = false;
  } else if (c == '`' || (m_code == 0 && (c == '*' || c == '_' || c == '~'))) {
    if (m_run_length == 0) m_before_run = m_last;
    m_run = c;
    ++m_run_length;
  } else if (m_code == 0) {
    m_escaped = c == '\\';
    brackets(c);
  }
  m_last = c;
  if (is_blank(c) && idle()) give_out();
}

void InlineText::brackets(char c) {
  if (m_label_ended && c == '(') {
    m_parens = 1;
  } else if (m_parens > 0) {
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

/// Roughly CommonMark's rules: a mistake here delays text, or shows a mark, and no more.
void InlineText::marks(char next) {
  std::size_t count = m_run_length;
  const bool before_word = !is_blank(next);
  const bool after_word = !is_blank(m_before_run);
  const bool within = is_word(m_before_run) && is_word(next);
  if (m_run == '_' && within) return;
  if (after_word) close_marks(m_run, count);
  if (count > 0 && before_word && m_opened.size() < k_most_opened) {
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
  return m_run_length == 0 && m_code == 0 && m_brackets == 0 && m_parens == 0 && m_opened.empty();
}

void InlineText::finish() {
  give_out();
  m_last = ' ';
}

void InlineText::give_out() {
  std::string text;
  text.swap(m_held);
  const bool marked = m_marked;
  m_marked = m_escaped = m_label_ended = false;
  m_code = m_brackets = m_parens = m_run_length = 0;
  m_opened.clear();
  const bool ends = text.ends_with('\n');
  if (ends) text.pop_back();
  if (marked) {
    if (ends && text.ends_with('\\')) text.pop_back();  // a hard line break
    inline_markup(m_flow, text, m_base);
  } else {
    m_flow.text(text, m_base);
  }
  if (ends) m_flow.newline();
}

}  // namespace svc::print
