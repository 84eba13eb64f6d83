#include "print/wrapped_text.h"

#include "base/text.h"

namespace svc::print {

std::string WrappedText::feed(sv piece) {
  std::string text = m_visible.feed(piece);
  for (bool first = true; sv line : split(text, '\n')) {
    if (!std::exchange(first, false)) {
      m_flow.newline();
      m_flow.indent({}, {});
      m_indent.clear();
      m_begun = false;
    }
    if (!m_begun) {
      const std::size_t begin = std::min(line.find_first_not_of(' '), line.size());
      m_indent += line.substr(0, begin);
      line.remove_prefix(begin);
      if (line.empty()) continue;
      m_flow.indent(m_indent, m_indent);
      m_begun = true;
    }
    m_flow.text(line, m_look);
  }
  return write();
}

std::string WrappedText::finish() {
  m_flow.text(m_visible.finish(), m_look);
  m_flow.end_line();
  m_flow.indent({}, {});
  m_indent.clear();
  m_begun = false;
  return write();
}

std::string WrappedText::write() {
  (void)m_flow.take_widths();
  if (m_flow.plain()) m_flow.commit_word();
  const std::string fixed = m_flow.take();
  if (m_flow.rows() == 0) return fixed;
  Flow ahead = m_flow;
  ahead.preview_word(std::exchange(m_words, ahead.words()) != ahead.words());
  return m_tail.advance(fixed, ahead.take(), m_flow.width() + 1, m_flow.rows());
}

}  // namespace svc::print
