#include "emulator/picture/font.h"

#include <algorithm>
#include <optional>

#include "base/text.h"
#include "emulator/picture/font_table.h"

namespace svc::emulator::media {
namespace {

constexpr std::size_t k_accent_rows = 2;
constexpr LetterRows k_missing = {0x1F, 0x11, 0x11, 0x11, 0x11, 0x11, 0x1F};

// U+00C0 to U+00FF: the letter below the accent, and the accent (a blank: as it is or missing).
constexpr sv k_bases = "AAAAAA CEEEEIIII NOOOOO  UUUUY  aaaaaa ceeeeiiii nooooo  uuuuy y";
constexpr sv k_accents = "`'^~:o ,`'^:`'^: ~`'^~:  `'^:'  `'^~:o ,`'^:`'^: ~`'^~:  `'^:' :";
static_assert(k_bases.size() == 64 && k_accents.size() == 64);

std::array<std::uint8_t, 2> accent_rows(char accent) {
  switch (accent) {
    case '`':
      return {0x08, 0x04};
    case '\'':
      return {0x02, 0x04};
    case '^':
      return {0x04, 0x0A};
    case '~':
      return {0x0D, 0x16};
    case ':':
      return {0x00, 0x0A};
    default:  // the ring
      return {0x0E, 0x0A};
  }
}

// Signs that typesetting puts in the place of simpler ones.
char32_t plain(char32_t character) {
  switch (character) {
    case U'\u2018':
    case U'\u2019':
      return U'\'';
    case U'\u201C':
    case U'\u201D':
      return U'"';
    case U'\u2010':
    case U'\u2011':
    case U'\u2013':
    case U'\u2014':
      return U'-';
    case U'\u00A0':
      return U' ';
    default:
      return character;
  }
}

LetterRows letter(char32_t character) {
  return k_letters[static_cast<std::size_t>(character - U' ')];
}

Glyph place(const LetterRows& rows) {
  Glyph glyph{};
  std::ranges::copy(rows, glyph.begin() + k_accent_rows);
  return glyph;
}

Glyph with_accent(char base, char accent) {
  LetterRows rows = letter(static_cast<unsigned char>(base));
  if (base == 'i') rows[0] = 0;  // the accent takes the dot's place
  Glyph glyph = place(rows);
  if (accent == ',') {
    glyph[k_accent_rows + 7] = 0x04;
    return glyph;
  }
  // Small letters leave two rows free above them.
  const bool is_small = base >= 'a';
  const auto above = accent_rows(accent);
  const std::size_t row = is_small ? 1 : 0;
  glyph[row] = above[0];
  glyph[row + 1] = above[1];
  return glyph;
}

bool takes_no_room(char32_t c) {
  return c < U' ' || (c >= 0x7F && c < 0xA0) || (c >= 0x300 && c < 0x370) ||
         (c >= 0x200B && c <= 0x200F) || (c >= 0xFE00 && c <= 0xFE0F) || c == 0xFEFF;
}

/// Collects words into lines.
class Wrapper {
 public:
  Wrapper(std::size_t columns, std::size_t lines) : m_columns(columns), m_most(lines) {}

  void add_word(std::u32string_view word) {
    if (!m_line.empty() && m_line.size() + 1 + word.size() > m_columns) end_line();
    if (!m_line.empty()) m_line += U' ';
    for (const char32_t character : word) {
      if (m_line.size() == m_columns) end_line();
      m_line += character;
    }
  }

  void end_line() {
    m_lines.push_back(std::move(m_line));
    m_line.clear();
  }

  [[nodiscard]] bool full() const { return m_lines.size() > m_most; }

  std::vector<std::u32string> finish() {
    if (!m_line.empty()) end_line();
    if (m_lines.size() <= m_most) return std::move(m_lines);
    m_lines.resize(m_most);
    std::u32string& last = m_lines.back();
    last.resize(std::min(last.size(), m_columns - std::min<std::size_t>(3, m_columns)));
    last += std::u32string(std::min<std::size_t>(3, m_columns), U'.');
    return std::move(m_lines);
  }

 private:
  std::size_t m_columns;
  std::size_t m_most;
  std::u32string m_line{};
  std::vector<std::u32string> m_lines{};
};

}  // namespace

Glyph find_glyph(char32_t character) {
  const char32_t wanted = plain(character);
  if (wanted >= U' ' && wanted <= U'~') return place(letter(wanted));
  if (wanted >= 0xC0 && wanted <= 0xFF) {
    const auto index = static_cast<std::size_t>(wanted - 0xC0);
    if (k_bases[index] != ' ') return with_accent(k_bases[index], k_accents[index]);
  }
  return place(k_missing);
}

std::vector<std::u32string> wrap_text(std::string_view text, std::size_t columns,
                                      std::size_t lines) {
  Wrapper wrapper(std::max<std::size_t>(1, columns), std::max<std::size_t>(1, lines));
  std::u32string word;
  for (std::size_t at = 0; at < text.size() && !wrapper.full();) {
    const char32_t character = decode_utf8(text, at);
    if (character != U' ' && character != U'\t' && character != U'\n') {
      if (!takes_no_room(character)) word += character;
      continue;
    }
    if (!word.empty()) wrapper.add_word(word);
    word.clear();
    if (character == U'\n') wrapper.end_line();
  }
  if (!word.empty()) wrapper.add_word(word);
  return wrapper.finish();
}

}  // namespace svc::emulator::media
