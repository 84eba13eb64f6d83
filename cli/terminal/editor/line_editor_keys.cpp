// Key bindings of the line editor.
#include <algorithm>
#include <utility>

#include "base/text.h"
#include "print/width.h"
#include "terminal/editor/line_editor.h"

namespace svc::cli {
namespace {

constexpr std::ptrdiff_t k_long_paste = 10;  ///< lines

sv common_begin(const std::vector<std::string>& words) {
  sv common = words.front();
  for (const std::string& word : words) {
    std::size_t same = 0;
    while (same < common.size() && same < word.size() && common[same] == word[same]) ++same;
    common = common.substr(0, same);
  }
  while (first_invalid_utf8(common)) common.remove_suffix(1);
  return common;
}

}  // namespace

LineEditor::After LineEditor::handle(const Key& key) {
  m_hint.clear();
  if (key.code != KeyCode::Tab && key.code != KeyCode::BackTab) m_offered = {};
  if (m_search) {
    const bool goes_on = key.code == KeyCode::Text || key.code == KeyCode::Backspace ||
                         (key.code == KeyCode::Control && key.text == "r");
    if (goes_on) {
      search(key);
      return After::GoOn;
    }
    const bool undone = key.code == KeyCode::Control && (key.text == "c" || key.text == "g");
    if (undone) m_buffer.set(m_before_search);
    end_search();
    if (undone || key.code == KeyCode::Escape) return After::GoOn;
  }
  switch (key.code) {
    case KeyCode::Text:
      m_buffer.insert(key.text);
      return After::GoOn;
    case KeyCode::Paste:
      paste(key.text);
      return After::GoOn;
    case KeyCode::Enter:
      return enter();
    case KeyCode::NewLine:
      m_buffer.insert("\n");
      return After::GoOn;
    case KeyCode::Tab:
    case KeyCode::BackTab:
      complete(key.code == KeyCode::BackTab);
      return After::GoOn;
    case KeyCode::Control:
      return control(key.text.front());
    default:
      move(key.code);
      return After::GoOn;
  }
}

void LineEditor::paste(sv text) {
  const std::size_t before = m_buffer.cursor();
  m_buffer.insert(text);
  std::string pasted = m_buffer.text().substr(before, m_buffer.cursor() - before);
  const auto lines = std::count(pasted.begin(), pasted.end(), '\n');
  if (lines >= k_long_paste) m_pastes.push_back(std::move(pasted));
}

void LineEditor::move(KeyCode code) {
  switch (code) {
    case KeyCode::Backspace:
      return m_buffer.erase_before();
    case KeyCode::Delete:
      return m_buffer.erase_after();
    case KeyCode::Left:
      return m_buffer.left();
    case KeyCode::Right:
      return m_buffer.right();
    case KeyCode::Up:
      return row_up();
    case KeyCode::Down:
      return row_down();
    case KeyCode::Home:
      return m_buffer.line_begin();
    case KeyCode::End:
      return m_buffer.line_end();
    case KeyCode::WordLeft:
      return m_buffer.word_left();
    case KeyCode::WordRight:
      return m_buffer.word_right();
    case KeyCode::WordBack:
      return m_buffer.kill_word_before();
    case KeyCode::WordForward:
      return m_buffer.kill_word_after();
    default:
      return;
  }
}

LineEditor::After LineEditor::enter() {
  if (is_whole_message(m_buffer.text())) {
    return trim(m_buffer.text()).empty() ? After::GoOn : After::Sent;
  }
  m_buffer.text_end();
  if (m_buffer.text().ends_with('\\')) m_buffer.erase_before();
  m_buffer.insert("\n");
  return After::GoOn;
}

LineEditor::After LineEditor::control(char which) {
  switch (which) {
    case 'a':
      m_buffer.line_begin();
      break;
    case 'b':
      m_buffer.left();
      break;
    case 'c':
      if (m_buffer.text().empty()) m_hint = "Press Ctrl-D or type /exit to leave.";
      m_buffer.set({});
      m_history.rest();
      break;
    case 'd':
      if (m_buffer.text().empty()) return After::Ended;
      m_buffer.erase_after();
      break;
    case 'e':
      m_buffer.line_end();
      break;
    case 'f':
      m_buffer.right();
      break;
    case 'k':
      m_buffer.kill_to_line_end();
      break;
    case 'l':
      m_screen.forget();
      give("\x1b[H\x1b[2J");
      break;
    case 'n':
      row_down();
      break;
    case 'p':
      row_up();
      break;
    case 'r':
      search({});
      break;
    case 't':
      m_buffer.transpose();
      break;
    case 'u':
      m_buffer.kill_to_line_begin();
      break;
    case 'w':
      m_buffer.kill_word_before();
      break;
    case 'y':
      m_buffer.yank();
      break;
    case 'z':
      give(m_screen.leave());
      suspend();
      break;
    case '\x7f':  // Ctrl-_, which many terminals send for Ctrl-/
      (void)m_buffer.undo();
      break;
    default:
      break;
  }
  return After::GoOn;
}

void LineEditor::row_up() {
  const std::size_t columns = m_terminal.size().columns;
  const EditLayout layout = lay_out(m_buffer.text(), m_buffer.cursor(), m_prompt, columns);
  const std::size_t indent = print::display_width(m_prompt);
  if (layout.row > 0) {
    m_buffer.move_to(offset_at(m_buffer.text(), layout, layout.row - 1, layout.column, indent));
  } else if (auto entry = m_history.older(m_buffer.text())) {
    m_buffer.set(*std::move(entry));
  }
}

void LineEditor::row_down() {
  const std::size_t columns = m_terminal.size().columns;
  const EditLayout layout = lay_out(m_buffer.text(), m_buffer.cursor(), m_prompt, columns);
  const std::size_t indent = print::display_width(m_prompt);
  if (layout.row + 1 < layout.rows.size()) {
    m_buffer.move_to(offset_at(m_buffer.text(), layout, layout.row + 1, layout.column, indent));
  } else if (auto entry = m_history.newer()) {
    m_buffer.set(*std::move(entry));
  }
}

void LineEditor::complete(bool backwards) {
  const auto replace = [this](sv word) {
    std::string text = m_buffer.text();
    const std::size_t end = m_buffer.cursor();
    text.replace(m_offered.begin, end - m_offered.begin, word);
    const std::size_t cursor = m_offered.begin + word.size();
    m_buffer.set(std::move(text));
    m_buffer.move_to(cursor);
  };
  if (m_offered.words.empty()) {
    if (!m_complete) return;
    m_offered = m_complete(m_buffer.text(), m_buffer.cursor());
    m_chosen = 0;
    if (m_offered.words.empty()) return;
    const std::string common(common_begin(m_offered.words));
    const bool further = common.size() > m_buffer.cursor() - m_offered.begin;
    if (m_offered.words.size() == 1 || further) replace(common);
    if (m_offered.words.size() == 1) m_offered = {};
    return;
  }
  const std::size_t count = m_offered.words.size();
  m_chosen = backwards ? (m_chosen <= 1 ? count : m_chosen - 1) : m_chosen % count + 1;
  replace(m_offered.words[m_chosen - 1]);
}

void LineEditor::search(const Key& key) {
  if (!m_search) {
    m_search.emplace();
    m_found = 0;
    m_before_search = m_buffer.text();
    return;
  }
  if (key.code == KeyCode::Text) *m_search += key.text;
  if (key.code == KeyCode::Backspace && !m_search->empty()) {
    const auto ends = grapheme_ends(*m_search);
    m_search->resize(ends.size() < 2 ? 0 : ends[ends.size() - 2]);
  }
  if (key.code == KeyCode::Control) ++m_found;
  find_older();
}

void LineEditor::find_older() {
  if (m_search->empty()) return;
  if (const auto at = m_history.find(*m_search, m_found)) {
    m_found = *at;
    m_buffer.set(m_history.ago(*at));
  } else {
    m_hint = m_found > 0 ? "no older match" : "no match";
    m_found = 0;
  }
}

void LineEditor::end_search() {
  m_search.reset();
}

}  // namespace svc::cli
