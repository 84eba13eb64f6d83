#include "terminal/editor/key_reader.h"

#include <array>
#include <utility>

#include "base/utf8.h"

namespace svc::cli {
namespace {

using sv = std::string_view;

constexpr sv k_paste_begins = "\x1b[200~";
constexpr sv k_paste_ends = "\x1b[201~";

struct Sequence {
  sv text;  ///< after `ESC [` or `ESC O`
  KeyCode code;
};

constexpr std::array k_sequences = {
    Sequence{"A", KeyCode::Up},
    Sequence{"B", KeyCode::Down},
    Sequence{"C", KeyCode::Right},
    Sequence{"D", KeyCode::Left},
    Sequence{"H", KeyCode::Home},
    Sequence{"F", KeyCode::End},
    Sequence{"1~", KeyCode::Home},
    Sequence{"4~", KeyCode::End},
    Sequence{"7~", KeyCode::Home},
    Sequence{"8~", KeyCode::End},
    Sequence{"3~", KeyCode::Delete},
    Sequence{"5~", KeyCode::PageUp},
    Sequence{"6~", KeyCode::PageDown},
    Sequence{"Z", KeyCode::BackTab},
    Sequence{"1;5D", KeyCode::WordLeft},
    Sequence{"1;5C", KeyCode::WordRight},
    Sequence{"1;3D", KeyCode::WordLeft},
    Sequence{"1;3C", KeyCode::WordRight},
    Sequence{"3;5~", KeyCode::WordForward},
    Sequence{"13;2u", KeyCode::NewLine},
    Sequence{"27;2;13~", KeyCode::NewLine},
    Sequence{"13;5u", KeyCode::NewLine},
};

}  // namespace

Key KeyReader::taken(std::size_t bytes, Key key) {
  m_bytes.erase(0, bytes);
  m_settled = false;
  return key;
}

std::optional<Key> KeyReader::next() {
  while (!m_bytes.empty()) {
    if (m_pasting) return paste();
    const char c = m_bytes.front();
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\x1b') {
      const std::size_t before = m_bytes.size();
      auto key = escape();
      if (key || m_bytes.size() == before) return key;
      continue;  // ignored, or the start of a paste
    }
    if (c == '\r' || c == '\n') return taken(1, {KeyCode::Enter});
    if (c == '\t') return taken(1, {KeyCode::Tab});
    if (c == '\x7f' || c == '\b') return taken(1, {KeyCode::Backspace});
    if (byte < 0x20)
      return taken(1, {KeyCode::Control, std::string(1, static_cast<char>(c | 0x60))});
    return typed();
  }
  m_settled = false;
  return std::nullopt;
}

std::optional<Key> KeyReader::typed() {
  std::size_t end = 0;
  while (end < m_bytes.size() && static_cast<unsigned char>(m_bytes[end]) >= 0x20 &&
         m_bytes[end] != '\x7f') {
    const utf8::Step step = utf8::step(m_bytes, end);
    if (step.validity == utf8::Validity::Truncated && !m_settled) break;
    end += step.length;
  }
  if (end == 0) return std::nullopt;
  std::string text = m_bytes.substr(0, end);
  return taken(end, {KeyCode::Text, std::move(text)});
}

std::optional<Key> KeyReader::paste() {
  const std::size_t end = m_bytes.find(k_paste_ends);
  if (end == std::string::npos) return std::nullopt;
  m_pasting = false;
  std::string text = m_bytes.substr(0, end);
  return taken(end + k_paste_ends.size(), {KeyCode::Paste, std::move(text)});
}

std::optional<Key> KeyReader::escape() {
  if (m_bytes.size() == 1) {
    if (m_settled) return taken(1, {KeyCode::Escape});
    return std::nullopt;
  }
  if (m_separate && m_bytes[1] != '[' && m_bytes[1] != 'O' && m_bytes[1] != '\r' &&
      m_bytes[1] != '\n') {
    return taken(1, {KeyCode::Escape});
  }
  switch (m_bytes[1]) {
    case '[':
    case 'O':
      return sequence();
    case '\r':
    case '\n':
      return taken(2, {KeyCode::NewLine});
    case '\x7f':
    case '\b':
      return taken(2, {KeyCode::WordBack});
    case 'b':
      return taken(2, {KeyCode::WordLeft});
    case 'f':
      return taken(2, {KeyCode::WordRight});
    case 'd':
      return taken(2, {KeyCode::WordForward});
    case '\x1b':
      return taken(1, {KeyCode::Escape});
    default:
      m_bytes.erase(0, 2);
      return std::nullopt;
  }
}

std::optional<Key> KeyReader::sequence() {
  if (sv(m_bytes).starts_with(k_paste_begins)) {
    m_bytes.erase(0, k_paste_begins.size());
    m_pasting = true;
    return std::nullopt;
  }
  // Parameters and intermediates, then one final byte.
  std::size_t end = 2;
  while (end < m_bytes.size() && m_bytes[end] >= 0x20 && m_bytes[end] < 0x40) ++end;
  if (end == m_bytes.size()) {
    if (m_settled) m_bytes.clear();
    return std::nullopt;
  }
  const sv text = sv(m_bytes).substr(2, end - 1);
  for (const Sequence& known : k_sequences) {
    if (known.text == text) return taken(end + 1, {known.code});
  }
  m_bytes.erase(0, end + 1);
  return std::nullopt;
}

}  // namespace svc::cli
