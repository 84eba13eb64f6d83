#include "terminal/editor/vi_keys.h"

#include <algorithm>
#include <utility>

#include "base/text.h"

namespace svc::cli {
namespace {

constexpr std::size_t k_max_count = 9999;

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\n';
}

/// Characters of one kind are a word, unless they are blank.
enum class CharacterKind : std::uint8_t { Blank, Letter, Mark };

CharacterKind kind_of(char c, bool big) {
  if (is_blank(c)) return CharacterKind::Blank;
  const bool word =
      is_letter(c) || is_digit(c) || c == '_' || static_cast<unsigned char>(c) >= 0x80;
  return word || big ? CharacterKind::Letter : CharacterKind::Mark;
}

/// An empty line is a word.
bool is_empty_line(sv text, std::size_t at) {
  return text[at] == '\n' && (at == 0 || text[at - 1] == '\n');
}

std::size_t next_word(sv text, std::size_t at, bool big) {
  const std::size_t from = at;
  const CharacterKind kind = at < text.size() ? kind_of(text[at], big) : CharacterKind::Blank;
  while (kind != CharacterKind::Blank && at < text.size() && kind_of(text[at], big) == kind) ++at;
  while (at < text.size() && is_blank(text[at]) && (at == from || !is_empty_line(text, at))) ++at;
  return at;
}

/// Behind the last character of the word that ends after `at`.
std::size_t word_end(sv text, std::size_t at, bool big) {
  while (at < text.size() && is_blank(text[at])) ++at;
  const CharacterKind kind = at < text.size() ? kind_of(text[at], big) : CharacterKind::Blank;
  while (at < text.size() && kind_of(text[at], big) == kind) ++at;
  return at;
}

std::size_t word_begin(sv text, std::size_t at, bool big) {
  while (at > 0 && is_blank(text[at - 1])) {
    if (is_empty_line(text, --at)) return at;
  }
  const CharacterKind kind = at > 0 ? kind_of(text[at - 1], big) : CharacterKind::Blank;
  while (at > 0 && kind_of(text[at - 1], big) == kind) --at;
  return at;
}

std::size_t first_printed(const LineBuffer& buffer, std::size_t line) {
  const std::string& text = buffer.text();
  while (line < text.size() && (text[line] == ' ' || text[line] == '\t')) ++line;
  return line;
}

}  // namespace

std::size_t ViKeys::count() const noexcept {
  return std::min(std::max<std::size_t>(m_count, 1) * std::max<std::size_t>(m_operator_count, 1),
                  k_max_count);
}

void ViKeys::reset() noexcept {
  m_count = m_operator_count = 0;
  m_operator = m_pending = 0;
}

void ViKeys::insert(LineBuffer& buffer) {
  m_normal = false;
  buffer.group(true);
}

void ViKeys::escape(LineBuffer& buffer) {
  reset();
  m_keys.clear();
  if (m_normal) return;
  const std::size_t size = buffer.text().size();
  if (size >= m_change.begin + m_change.tail) {
    m_change.inserted = buffer.text().substr(m_change.begin, size - m_change.begin - m_change.tail);
  }
  m_normal = true;
  buffer.group(false);
  if (buffer.cursor() > buffer.begin_of_line()) buffer.left();
}

void ViKeys::settle(LineBuffer& buffer) const {
  if (!m_normal || buffer.cursor() != buffer.end_of_line()) return;
  if (buffer.cursor() > buffer.begin_of_line()) buffer.left();
}

ViKeys::Wish ViKeys::type(sv character, LineBuffer& buffer) {
  if (character == "." && m_keys.empty()) {
    repeat_change(buffer);
    return Wish::None;
  }
  const std::string before = buffer.text();
  m_keys += character;
  const Wish wish = run(character, buffer);
  if (m_pending != 0 || m_operator != 0 || m_count > 0) return wish;  // more keys follow
  std::string keys = std::exchange(m_keys, {});
  if (!keys.empty() && (!m_normal || buffer.text() != before)) {
    const std::size_t at = buffer.cursor();
    m_change = {std::move(keys), {}, at, buffer.text().size() - at};
  }
  return wish;
}

void ViKeys::repeat_change(LineBuffer& buffer) {
  const Change change = m_change;
  std::size_t at = 0;
  for (const std::size_t end : grapheme_ends(change.keys)) {
    (void)type(sv(change.keys).substr(at, end - at), buffer);
    at = end;
  }
  if (m_normal) return;
  buffer.insert(change.inserted);
  escape(buffer);
}

ViKeys::Wish ViKeys::run(sv character, LineBuffer& buffer) {
  const char c = character.size() == 1 ? character.front() : '\0';
  if (m_pending != 0) {
    finish_pending(std::exchange(m_pending, '\0'), character, buffer);
    reset();
    settle(buffer);
    return Wish::None;
  }
  if (is_digit(c) && (c != '0' || m_count > 0)) {
    m_count = std::min(m_count * 10 + static_cast<std::size_t>(c - '0'), k_max_count);
    return Wish::None;
  }
  if (c != '\0' && sv("rgftFT").find(c) != sv::npos) {
    m_pending = c;
    return Wish::None;
  }
  const bool operates = c == 'd' || c == 'c' || c == 'y';
  if (operates && m_operator == 0) {
    m_operator = c;
    m_operator_count = std::exchange(m_count, 0);
    return Wish::None;
  }
  Wish wish = Wish::None;
  if (operates && c == m_operator) {
    operate_lines(c, buffer.cursor(), last_line(buffer), buffer);
  } else if (m_operator != 0) {
    apply(m_operator, motion(c, buffer), buffer);
  } else {
    wish = command(c, buffer);
  }
  reset();
  settle(buffer);
  return wish;
}

void ViKeys::finish_pending(char what, sv character, LineBuffer& buffer) {
  if (what == 'r') {
    if (m_operator == 0) replace(character, buffer);
  } else if (what != 'g') {
    m_find = {what, std::string(character)};
    const std::size_t home = buffer.cursor();
    const auto found = find(m_find, false, buffer);
    buffer.move_to(home);
    apply(m_operator, found, buffer);
  } else if (character == "g") {
    apply(m_operator, line_number(count(), buffer), buffer);
  }
}

std::optional<ViKeys::Motion> ViKeys::motion(char c, LineBuffer& buffer) const {
  const std::size_t home = buffer.cursor();
  Find what = m_find;
  if (c == ',') what.kind = static_cast<char>(what.kind ^ ('f' ^ 'F'));
  const bool finds = (c == ';' || c == ',') && m_find.kind != 0;
  auto found = finds ? find(what, true, buffer) : reach(c, buffer);
  buffer.move_to(home);
  return found;
}

/// The first printed character of a line, from 1; of the last one, if there are fewer.
ViKeys::Motion ViKeys::line_number(std::size_t number, const LineBuffer& buffer) {
  const std::string& text = buffer.text();
  std::size_t line = 0;
  for (std::size_t i = 1; i < number; ++i) {
    const std::size_t end = text.find('\n', line);
    if (end == sv::npos) break;
    line = end + 1;
  }
  return {.to = first_printed(buffer, line), .lines = true};
}

/// Searches the cursor's line; may leave the cursor anywhere. Repeated, t and T do not stop next to
/// the same character `again`.
std::optional<ViKeys::Motion> ViKeys::find(const Find& what, bool again, LineBuffer& at) const {
  const sv line = sv(at.text()).substr(0, at.end_of_line());
  const std::size_t size = what.target.size();
  const bool next_to = what.kind == 't' || what.kind == 'T';
  const bool skips = again && next_to && count() == 1;
  if (what.kind == 'f' || what.kind == 't') {
    std::size_t from = std::min(at.after(), line.size());
    if (skips && line.substr(from).starts_with(what.target)) from += size;
    std::size_t found = sv::npos;
    for (std::size_t i = 0; i < count(); ++i, from = found + size) {
      found = line.find(what.target, from);
      if (found == sv::npos) return std::nullopt;
    }
    at.move_to(found);
    if (next_to) at.left();
    return Motion{at.cursor(), true};
  }
  const std::size_t begin = at.begin_of_line();
  std::size_t end = at.cursor();
  if (skips && line.substr(begin, end - begin).ends_with(what.target)) end -= size;
  for (std::size_t i = 0; i < count(); ++i) {
    const std::size_t found = line.substr(begin, end - begin).rfind(what.target);
    if (found == sv::npos) return std::nullopt;
    end = begin + found;
  }
  return Motion{next_to ? end + size : end, false};
}

/// May leave the cursor anywhere.
std::optional<ViKeys::Motion> ViKeys::reach(char c, LineBuffer& at) const {
  if (c == 'G') return line_number(is_counted() ? count() : sv::npos, at);
  const std::string& text = at.text();
  const std::size_t line_end = at.end_of_line();
  const bool big = c == 'W' || c == 'B' || c == 'E';
  const bool on_line = at.cursor() < line_end;
  const bool on_word = at.cursor() < text.size() && !is_blank(text[at.cursor()]);
  // `cw` changes the word, not the space after it.
  const bool changes = m_operator == 'c' && on_word && (c == 'w' || c == 'W');
  for (std::size_t i = 0; i < count(); ++i) {
    if (changes) {
      at.move_to(word_end(text, at.cursor(), big));
    } else if (c == 'h') {
      if (at.cursor() > at.begin_of_line()) at.left();
    } else if (c == 'l' || c == ' ') {
      if (at.cursor() < at.end_of_line()) at.right();
    } else if (c == 'w' || c == 'W') {
      at.move_to(next_word(text, at.cursor(), big));
    } else if (c == 'b' || c == 'B') {
      if (i == 0 && at.cursor() == 0) return std::nullopt;
      at.move_to(word_begin(text, at.cursor(), big));
    } else if (c == 'e' || c == 'E') {
      at.move_to(word_end(text, at.after(), big));
      if (!text.ends_with('\n') || at.cursor() < text.size()) at.left();
    } else if (c == '0') {
      at.line_begin();
    } else if (c == '^') {
      at.move_to(first_printed(at, at.begin_of_line()));
    } else if (c == '$') {
      if (i > 0 && at.end_of_line() == text.size()) return std::nullopt;
      if (i > 0) at.move_to(at.end_of_line() + 1);
      at.line_end();
    } else {
      return std::nullopt;
    }
  }
  // An operator leaves the line's end.
  const bool in_line = m_operator != 0 && count() == 1 && (c == 'w' || c == 'W') && on_line;
  return Motion{in_line ? std::min(at.cursor(), line_end) : at.cursor(), c == 'e' || c == 'E'};
}

/// Moves the cursor, or applies the operator `which` up to where it would move.
void ViKeys::apply(char which, std::optional<Motion> motion, LineBuffer& buffer) {
  if (!motion) return;
  if (which == 0) return buffer.move_to(motion->to);
  if (motion->lines) return operate_lines(which, buffer.cursor(), motion->to, buffer);
  const std::size_t home = buffer.cursor();
  buffer.move_to(motion->to);
  const std::size_t to = motion->inclusive ? buffer.after() : motion->to;
  buffer.move_to(home);
  const std::size_t begin = std::min(to, home);
  const std::size_t end = std::max(to, home);
  const sv between = sv(buffer.text()).substr(begin, end - begin);
  if (motion->inclusive || !between.ends_with('\n')) return operate(which, begin, end, buffer);
  // What ends at the begin of a line ends with the line before; all of its lines are meant if
  // nothing printed is left of it.
  const bool whole = begin <= first_printed(buffer, buffer.begin_of_line(begin));
  if (whole) return operate_lines(which, begin, end - 1, buffer);
  operate(which, begin, end - 1, buffer);
}

void ViKeys::operate(char which, std::size_t begin, std::size_t end, LineBuffer& buffer) {
  if (which == 'c') insert(buffer);
  if (which == 'y') {
    if (end > begin) buffer.save(buffer.text().substr(begin, end - begin));
    buffer.move_to(begin);
  } else {
    buffer.kill(begin, end);
  }
}

/// Where the last of the lines ends to which `dd`, `cc` and `yy` apply.
std::size_t ViKeys::last_line(const LineBuffer& buffer) const {
  const std::string& text = buffer.text();
  std::size_t end = buffer.end_of_line();
  for (std::size_t i = 1; i < count() && end < text.size(); ++i) {
    end = std::min(text.find('\n', end + 1), text.size());
  }
  return end;
}

/// From the line at `from` to that at `to`: the saved text ends with a newline.
void ViKeys::operate_lines(char which, std::size_t from, std::size_t to, LineBuffer& buffer) {
  const std::string& text = buffer.text();
  const std::size_t begin = buffer.begin_of_line(std::min(from, to));
  const std::size_t end = buffer.end_of_line(std::max(from, to));
  if (which == 'y') buffer.move_to(std::min({buffer.cursor(), from, to}));
  std::string lines = text.substr(begin, end - begin) + "\n";
  if (which == 'd') {
    const bool last = end == text.size();
    buffer.kill(begin - (last && begin > 0 ? 1 : 0), end + (last ? 0 : 1));
    buffer.move_to(first_printed(buffer, buffer.begin_of_line()));
  } else if (which == 'c') {
    insert(buffer);
    buffer.kill(begin, end);
    buffer.move_to(begin);
  }
  buffer.save(std::move(lines));
}

void ViKeys::put(bool after, LineBuffer& buffer) const {
  std::string text = repeat(buffer.killed(), count());
  if (text.empty()) return;
  if (text.ends_with('\n')) {
    text.pop_back();
    const std::size_t at = after ? buffer.end_of_line() : buffer.begin_of_line();
    buffer.move_to(at);
    buffer.insert(after ? "\n" + text : text + "\n");
    return buffer.move_to(first_printed(buffer, at + (after ? 1 : 0)));
  }
  if (after && buffer.cursor() < buffer.end_of_line()) buffer.right();
  buffer.insert(text);
  buffer.left();
}

/// Replaces as many characters as there are to be, or none.
void ViKeys::replace(sv character, LineBuffer& buffer) const {
  const sv rest = sv(buffer.text()).substr(buffer.cursor(), buffer.end_of_line() - buffer.cursor());
  if (grapheme_ends(rest).size() < count()) return;
  buffer.group(true);
  for (std::size_t i = 0; i < count(); ++i) {
    buffer.erase_after();
    buffer.insert(character);
  }
  buffer.group(false);
  buffer.left();
}

void ViKeys::open_line(bool below, LineBuffer& buffer) {
  insert(buffer);
  const std::size_t at = below ? buffer.end_of_line() : buffer.begin_of_line();
  buffer.move_to(at);
  buffer.insert("\n");
  if (!below) buffer.move_to(at);
}

ViKeys::Wish ViKeys::command(char c, LineBuffer& buffer) {
  switch (c) {
    case 'j':
    case 'k':
      return c == 'k' ? Wish::Up : Wish::Down;
    case '/':
      return Wish::Search;
    case 'n':
      return Wish::SearchOn;
    case 'v':
      return Wish::Edit;
    case 'i':
    case 'I':
    case 'a':
    case 'A':
      if (c == 'I') buffer.move_to(first_printed(buffer, buffer.begin_of_line()));
      if (c == 'A') buffer.line_end();
      if (c == 'a' && buffer.cursor() < buffer.end_of_line()) buffer.right();
      insert(buffer);
      break;
    case 'o':
    case 'O':
      open_line(c == 'o', buffer);
      break;
    case 'x':
    case 's':
      apply(c == 'x' ? 'd' : 'c', motion('l', buffer), buffer);
      break;
    case 'X':
      apply('d', motion('h', buffer), buffer);
      break;
    case 'D':
    case 'C':
      apply(c == 'D' ? 'd' : 'c', motion('$', buffer), buffer);
      break;
    case 'S':
    case 'Y':
      operate_lines(c == 'S' ? 'c' : 'y', buffer.cursor(), last_line(buffer), buffer);
      break;
    case 'p':
    case 'P':
      put(c == 'p', buffer);
      break;
    case 'u':
      m_keys.clear();  // not a change for `.`
      for (std::size_t i = 0; i < count() && buffer.undo(); ++i) continue;
      break;
    default:
      apply(0, motion(c, buffer), buffer);
  }
  return Wish::None;
}

}  // namespace svc::cli
