#include "terminal/editor/line_editor.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include "base/text.h"
#include "base/wait.h"
#include "print/width.h"

namespace svc::cli {
namespace {

constexpr sv k_quote = "\"\"\"";
constexpr std::chrono::milliseconds k_escape{
    50};  ///< time after which an escape character was the Escape key
constexpr std::chrono::seconds k_idle{3};
constexpr std::size_t k_max_offered_rows = 4;
constexpr char k_suspend_key = '\x1a';
constexpr std::size_t k_max_ahead = 1U << 20U;

constexpr std::ptrdiff_t k_long_paste = 10;  ///< lines
constexpr std::size_t k_plain_choices = 20;

/// The keys that only change the text or move in its lines.
struct Binding {
  KeyCode code;  ///< Control: only the letter
  char letter;   ///< with Ctrl; 0: only the code
  void (LineBuffer::*edit)();
};
constexpr std::array k_bindings = {
    Binding{KeyCode::Backspace, 0, &LineBuffer::erase_before},
    Binding{KeyCode::Delete, 0, &LineBuffer::erase_after},
    Binding{KeyCode::Left, 'b', &LineBuffer::left},
    Binding{KeyCode::Right, 'f', &LineBuffer::right},
    Binding{KeyCode::Home, 'a', &LineBuffer::line_begin},
    Binding{KeyCode::End, 'e', &LineBuffer::line_end},
    Binding{KeyCode::WordLeft, 0, &LineBuffer::word_left},
    Binding{KeyCode::WordRight, 0, &LineBuffer::word_right},
    Binding{KeyCode::WordBack, 'w', &LineBuffer::kill_word_before},
    Binding{KeyCode::WordForward, 0, &LineBuffer::kill_word_after},
    Binding{KeyCode::Control, 'k', &LineBuffer::kill_to_line_end},
    Binding{KeyCode::Control, 'u', &LineBuffer::kill_to_line_begin},
    Binding{KeyCode::Control, 't', &LineBuffer::transpose},
    Binding{KeyCode::Control, 'y', &LineBuffer::yank},
};

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

bool is_whole_message(sv text) {
  const sv bare = trim(text);
  if (bare.starts_with(k_quote)) {
    return bare.size() >= 2 * k_quote.size() && bare.ends_with(k_quote);
  }
  const std::size_t last = text.find_last_not_of('\\');
  return (text.size() - (last == sv::npos ? 0 : last + 1)) % 2 == 0;
}

std::string unquoted_message(std::string text) {
  const sv bare = trim(text);
  if (bare.size() < 2 * k_quote.size() || !bare.starts_with(k_quote) || !bare.ends_with(k_quote)) {
    return text;
  }
  sv inside = bare.substr(k_quote.size(), bare.size() - 2 * k_quote.size());
  if (inside.starts_with('\n')) inside.remove_prefix(1);
  if (inside.ends_with('\n')) inside.remove_suffix(1);
  return std::string(inside);
}

LineEditor::LineEditor(RawTerminal& terminal, print::Out& out, InputHistory& history,
                       const CancelToken& cancel, Complete complete)
    : m_terminal(terminal),
      m_out(out),
      m_history(history),
      m_cancel(cancel),
      m_complete(std::move(complete)) {}

void LineEditor::give(sv bytes) {
  // If the terminal is gone, reading fails as well.
  (void)m_out.write(bytes);
  (void)m_out.flush();
}

/// Waits for keys, or until something may be redrawn; returns false at the end of the input.
Result<bool> LineEditor::more_keys(const CancelToken& cancel) {
  const auto begin = std::chrono::steady_clock::now();
  while (true) {
    std::array<pollfd, 2> waits{
        {{m_terminal.descriptor(), POLLIN, 0}, {m_window.descriptor(), POLLIN, 0}}};
    SVC_TRY(ready, wait(waits, m_keys.waits() ? after(k_escape) : Deadline(), cancel));
    if (!ready) {
      m_keys.settle();
      return true;
    }
    if (waits[1].revents != 0) {
      m_window.take();
      return true;
    }
    std::array<char, 4096> buffer;
    const ssize_t count = ::read(m_terminal.descriptor(), buffer.data(), buffer.size());
    if (count < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (count <= 0) return false;
    if (m_when_typing && std::chrono::steady_clock::now() - begin >= k_idle) m_when_typing();
    m_keys.feed(sv(buffer.data(), static_cast<std::size_t>(count)));
    return true;
  }
}

Result<LineEditor::After> LineEditor::run(sv prompt) {
  if (!m_terminal.enter()) return Error{Fault::Local, "not the terminal's foreground process"};
  m_prompt = std::string(prompt);
  m_buffer.set({});
  m_pastes.clear();
  m_history.rest();
  if (m_vi) m_vi->insert(m_buffer);
  give("\x1b[?2004h");
  After after = After::GoOn;
  std::optional<Error> failure;
  m_keys.feed(std::exchange(m_ahead, {}));
  while (true) {
    while (after == After::GoOn) {
      const auto key = m_keys.next();
      if (!key) break;
      after = handle(*key);
    }
    if (after != After::GoOn) break;
    redraw();
    const Result<bool> there = more_keys(m_cancel);
    if (!there) failure = there.error();
    if (failure || !*there) break;
  }
  m_buffer.text_end();
  if (m_picker) {
    give(m_screen.erase());
  } else if (after == After::Sent) {
    shorten_pastes();
  } else {
    redraw();
  }
  show_mode('0');
  give(m_screen.leave() + "\x1b[?2004l");
  if (failure) return *std::move(failure);
  return after;
}

Result<std::optional<std::string>> LineEditor::read(sv prompt) {
  if (m_out.terminal().dumb) return read_plain_line(prompt);
  SVC_TRY(after, run(prompt));
  if (after != After::Sent) return std::optional<std::string>();
  return std::optional(m_buffer.text());
}

Result<std::optional<std::size_t>> LineEditor::pick(sv prompt, Choices choices) {
  std::vector<std::size_t> items = choices.matching({});
  if (m_out.terminal().dumb) {
    items.resize(std::min(items.size(), k_plain_choices));
    const std::size_t width = std::max<std::size_t>(m_terminal.size().columns, 20) - 1;
    for (const std::size_t item : items) give(choices.line(item, width) + "\n");
    SVC_TRY(typed, read_plain_line(prompt));
    if (!typed || trim(*typed).empty()) return std::optional<std::size_t>();
    items = choices.matching(*typed);
    if (items.empty()) return usage_error(fmt::format("nothing matches '{}'", shown(*typed)));
    return std::optional(items.front());
  }
  m_picker = Picker{std::move(choices), {}, std::move(items)};
  const auto after = run(prompt);
  const Picker picker = *std::exchange(m_picker, std::nullopt);
  if (!after) return after.error();
  return *after == After::Sent ? std::optional(picker.items[picker.chosen]) : std::nullopt;
}

/// Without cursor movement, rely on the terminal's own line editing.
Result<std::optional<std::string>> LineEditor::read_plain_line(sv prompt) {
  m_terminal.leave();
  std::string text;
  give(prompt);
  while (true) {
    SVC_CHECK(wait_readable(m_terminal.descriptor(), {}, m_cancel));
    char c = 0;
    if (::read(m_terminal.descriptor(), &c, 1) <= 0) return std::optional<std::string>();
    if (c != '\n') {
      text += c;
    } else if (is_whole_message(text)) {
      return std::optional(std::move(text));
    } else {
      if (text.ends_with('\\')) text.pop_back();
      text += '\n';
      give(std::string(prompt.size(), ' '));
    }
  }
}

bool LineEditor::look_ahead() {
  if (m_out.terminal().dumb) return false;
  bool any = false;
  const NeverCanceled never;
  while (true) {
    const auto ready = wait_readable(m_terminal.descriptor(), after({}), never);
    if (!ready || !*ready) break;
    std::array<char, 4096> buffer;
    const ssize_t count = ::read(m_terminal.descriptor(), buffer.data(), buffer.size());
    if (count <= 0) break;
    any = true;
    keep_ahead(sv(buffer.data(), static_cast<std::size_t>(count)));
  }
  return any;
}

void LineEditor::keep_ahead(sv keys) {
  for (const char c : keys) {
    if (c == k_suspend_key) {
      suspend();
    } else if (m_ahead.size() < k_max_ahead) {
      m_ahead += c;
      for (const bool in : {false, true}) {
        const sv report = in ? "\x1b[I" : "\x1b[O";
        if (!m_ahead.ends_with(report)) continue;
        m_ahead.erase(m_ahead.size() - report.size());
        m_looks = in;
      }
    }
  }
}

void LineEditor::watch_focus(bool wanted) {
  if (wanted) m_looks.reset();
  give(wanted ? "\x1b[?1004h" : "\x1b[?1004l");
}

void LineEditor::suspend() {
  if (m_before_stop) m_before_stop();
  show_mode('0');
  give("\x1b[?2004l\x1b[?1004l");
  m_terminal.suspend();
  give("\x1b[?2004h");
}

std::string LineEditor::typed_ahead() const {
  KeyReader keys;
  keys.feed(m_ahead);
  LineBuffer buffer;
  while (const auto key = keys.next()) {
    if (key->code == KeyCode::Text || key->code == KeyCode::Paste) buffer.insert(key->text);
    if (key->code == KeyCode::Backspace) buffer.erase_before();
    if (key->code == KeyCode::Enter || key->code == KeyCode::NewLine) buffer.insert("\n");
    if (key->code == KeyCode::Control && (key->text == "c" || key->text == "u")) buffer.set({});
  }
  return replace_all(buffer.text(), "\n", m_out.terminal().utf8 ? "⏎ " : " / ");
}

std::vector<EditRow> LineEditor::below() const {
  const std::size_t width = std::max<std::size_t>(m_terminal.size().columns, 8) - 1;
  const bool utf8 = m_out.terminal().utf8;
  std::vector<std::string> texts;
  std::vector<EditRow> rows;
  if (m_picker) choice_rows(rows, width);
  if (m_vi && m_vi->is_normal() && !m_search) texts.emplace_back("-- NORMAL --");
  if (m_search) texts.push_back("search: " + visible(*m_search, Lines::Escape));
  if (!m_hint.empty()) texts.push_back(m_hint);
  if (m_offered.words.size() > 1) {
    std::string all;
    for (const std::string& word : m_offered.words) all += visible(word, Lines::Escape) + " ";
    std::vector<std::string> offered = print::wrap(all, width);
    const std::size_t more = offered.size() - std::min(offered.size(), k_max_offered_rows);
    offered.resize(offered.size() - more);
    if (more > 0) offered.back() += utf8 ? " …" : " ...";
    texts.insert(texts.end(), offered.begin(), offered.end());
  }
  for (const std::string& text : texts) rows.push_back(row_below(text, width, true));
  return rows;
}

EditRow LineEditor::row_below(const std::string& text, std::size_t width, bool dim) const {
  const std::string shown = print::fit(text, width, m_out.terminal().utf8);
  return {dim && m_out.terminal().color ? "\x1b[2m" + shown + "\x1b[0m" : shown,
          print::display_width(shown)};
}

/// The rows left below the text, without that of the count.
std::size_t LineEditor::choices_shown() const {
  const TerminalSize size = m_terminal.size();
  const std::size_t typed = lay_out(m_buffer.text(), 0, m_prompt, size.columns).rows.size();
  return size.lines > typed + 2 ? size.lines - typed - 2 : 1;
}

void LineEditor::choice_rows(std::vector<EditRow>& rows, std::size_t width) const {
  const std::vector<std::size_t>& items = m_picker->items;
  const std::size_t shown = choices_shown();
  const std::size_t top = m_picker->chosen - m_picker->chosen % shown;
  for (std::size_t i = top; i < std::min(items.size(), top + shown); ++i) {
    const bool chosen = i == m_picker->chosen;
    const std::string line = m_picker->choices.line(items[i], width - 2);
    rows.push_back(row_below((chosen ? "> " : "  ") + line, width, false));
    if (chosen && m_out.terminal().color)
      rows.back().shown = "\x1b[1m" + rows.back().shown + "\x1b[0m";
  }
  rows.push_back(row_below(items.empty() ? "no match; Esc leaves"
                                         : std::to_string(m_picker->chosen + 1) + " of " +
                                               std::to_string(items.size()) +
                                               "; type to filter, Enter chooses, Esc leaves",
                           width, true));
}

/// After the text has changed.
void LineEditor::refresh_choices() {
  if (m_picker->typed == m_buffer.text()) return;
  m_picker->typed = m_buffer.text();
  m_picker->items = m_picker->choices.matching(m_picker->typed);
  m_picker->chosen = 0;
}

/// The keys that move in the list or leave it; nothing for those that edit the text.
std::optional<LineEditor::After> LineEditor::handle_choice(const Key& key) {
  const char control = key.code == KeyCode::Control ? key.text.front() : '\0';
  if (key.code == KeyCode::Escape || control == 'c' || control == 'g') return After::Ended;
  const bool up = key.code == KeyCode::Up || key.code == KeyCode::BackTab || control == 'p';
  const bool down = key.code == KeyCode::Down || key.code == KeyCode::Tab || control == 'n';
  const bool page = key.code == KeyCode::PageUp || key.code == KeyCode::PageDown;
  if (up || down || page || key.code == KeyCode::Enter) {
    refresh_choices();  // not for every character of what was typed at once
    std::size_t& chosen = m_picker->chosen;
    const std::size_t count = m_picker->items.size();
    if (key.code == KeyCode::Enter) return count == 0 ? After::GoOn : After::Sent;
    const std::size_t step = page ? choices_shown() : 1;
    chosen = up || key.code == KeyCode::PageUp
                 ? chosen - std::min(chosen, step)
                 : std::min(chosen + step, std::max<std::size_t>(count, 1) - 1);
    return After::GoOn;
  }
  const bool ignored = key.code == KeyCode::NewLine || control == 'r' || control == 'x';
  return ignored ? std::optional(After::GoOn) : std::nullopt;
}

void LineEditor::redraw() {
  if (m_picker) refresh_choices();
  if (m_vi) show_mode(m_vi->is_normal() ? '2' : '6');
  draw(m_buffer.text(), m_buffer.cursor());
}

/// Sets the cursor's shape: a block in vi's normal mode, a bar while inserting, 0 for the
/// terminal's own.
void LineEditor::show_mode(char shape) {
  if (std::exchange(m_shape, shape) != shape) give(std::string("\x1b[") + shape + " q");
}

void LineEditor::draw(sv text, std::size_t cursor) {
  const TerminalSize size = m_terminal.size();
  const EditLayout layout = lay_out(text, cursor, m_prompt, size.columns);
  give(m_screen.draw(layout, below(), size.columns, size.lines));
}

/// Shortens long pastes on the screen to their length.
void LineEditor::shorten_pastes() {
  std::string text = m_buffer.text();
  for (const std::string& paste : m_pastes) {
    const std::size_t at = text.find(paste);
    if (at == std::string::npos) continue;
    const auto lines =
        std::count(paste.begin(), paste.end(), '\n') + (paste.ends_with('\n') ? 0 : 1);
    text.replace(at, paste.size(), "[" + std::to_string(lines) + " lines]");
  }
  draw(text, text.size());
}

/// Returns whether the key belongs to the search; another one ends it and is handled as always.
bool LineEditor::handle_search(const Key& key) {
  const bool control = key.code == KeyCode::Control;
  if (key.code == KeyCode::Text || key.code == KeyCode::Backspace || (control && key.text == "r")) {
    search(key);
    return true;
  }
  const bool undone = control && (key.text == "c" || key.text == "g");
  if (undone) m_buffer.set(m_before_search);
  end_search();
  const bool accepted = m_vi && m_vi->is_normal() && key.code == KeyCode::Enter;
  return undone || accepted || key.code == KeyCode::Escape;
}

LineEditor::After LineEditor::handle(const Key& key) {
  m_hint.clear();
  if (key.code != KeyCode::Tab && key.code != KeyCode::BackTab) m_offered = {};
  if (m_search && handle_search(key)) return After::GoOn;
  if (m_picker) {
    if (const auto after = handle_choice(key)) return *after;
  }
  if (std::exchange(m_ctrl_x, false) && key.code == KeyCode::Control && key.text == "e") {
    open_editor();
    return After::GoOn;
  }
  if (key.code == KeyCode::Backspace && m_vi && m_vi->is_normal()) {
    type("h");
    return After::GoOn;
  }
  const bool control_key = key.code == KeyCode::Control;
  for (const Binding& binding : k_bindings) {
    const bool bound = control_key ? binding.letter == key.text.front() : binding.code == key.code;
    if (bound) (m_buffer.*binding.edit)();
  }
  switch (key.code) {
    case KeyCode::Text:
      type(key.text);
      break;
    case KeyCode::Escape:
      if (m_vi) m_vi->escape(m_buffer);
      break;
    case KeyCode::Paste:
      paste(key.text);
      break;
    case KeyCode::Enter:
      return enter();
    case KeyCode::NewLine:
      m_buffer.insert("\n");
      break;
    case KeyCode::Tab:
    case KeyCode::BackTab:
      complete(key.code == KeyCode::BackTab);
      break;
    case KeyCode::Up:
    case KeyCode::Down:
      move_row(key.code == KeyCode::Up);
      break;
    case KeyCode::Control:
      return control(key.text.front());
    default:
      break;
  }
  if (m_vi) m_vi->settle(m_buffer);
  return After::GoOn;
}

/// In vi's normal mode, characters are commands.
void LineEditor::type(sv text) {
  if (!m_vi || !m_vi->is_normal()) return m_buffer.insert(text);
  std::size_t at = 0;
  for (const std::size_t end : grapheme_ends(text)) {
    if (!m_vi->is_normal() || m_search) break;
    switch (m_vi->type(text.substr(at, end - at), m_buffer)) {
      case ViKeys::Wish::Up:
      case ViKeys::Wish::Down:
        move_row(text[at] == 'k');
        m_vi->settle(m_buffer);
        break;
      case ViKeys::Wish::Search:
        search({});
        break;
      case ViKeys::Wish::SearchOn:
        m_search = m_last_search;
        ++m_found;
        find_older();
        end_search();
        break;
      case ViKeys::Wish::Edit:
        open_editor();
        break;
      case ViKeys::Wish::None:
        break;
    }
    at = end;
  }
  if (at == text.size()) return;
  const Key rest{KeyCode::Text, std::string(text.substr(at))};
  return m_search ? search(rest) : m_buffer.insert(rest.text);
}

void LineEditor::open_editor() {
  if (!m_edit) return;
  give(m_screen.erase() + "\x1b[?2004l");
  show_mode('0');
  auto text = m_edit(m_buffer.text());
  give("\x1b[?2004h");
  if (text) {
    m_buffer.set(*std::move(text));
  } else {
    m_hint = visible(text.error().message, Lines::Escape);
  }
}

void LineEditor::paste(sv text) {
  const std::size_t before = m_buffer.cursor();
  m_buffer.insert(text);
  std::string pasted = m_buffer.text().substr(before, m_buffer.cursor() - before);
  const auto lines = std::count(pasted.begin(), pasted.end(), '\n');
  if (lines >= k_long_paste) m_pastes.push_back(std::move(pasted));
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
    case 'c':
      if (m_buffer.text().empty()) m_hint = "Press Ctrl-D or type /exit to leave.";
      m_buffer.set({});
      m_history.rest();
      if (m_vi) m_vi->insert(m_buffer);
      break;
    case 'd':
      if (m_buffer.text().empty()) return After::Ended;
      m_buffer.erase_after();
      break;
    case 'l':
      m_screen.forget();
      give("\x1b[H\x1b[2J");
      break;
    case 'n':
    case 'p':
      move_row(which == 'p');
      break;
    case 'r':
      search({});
      break;
    case 'x':
      m_ctrl_x = true;
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

/// Moves the cursor to the next row; beyond the text, to the next entry of the history.
void LineEditor::move_row(bool up) {
  const std::size_t columns = m_terminal.size().columns;
  const EditLayout layout = lay_out(m_buffer.text(), m_buffer.cursor(), m_prompt, columns);
  if (up ? layout.row > 0 : layout.row + 1 < layout.rows.size()) {
    const std::size_t row = up ? layout.row - 1 : layout.row + 1;
    const std::size_t indent = print::display_width(m_prompt);
    m_buffer.move_to(offset_at(m_buffer.text(), layout, row, layout.column, indent));
  } else if (auto entry = up ? m_history.older(m_buffer.text()) : m_history.newer()) {
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

void LineEditor::end_search() {
  m_last_search = *std::exchange(m_search, std::nullopt);
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

}  // namespace svc::cli
