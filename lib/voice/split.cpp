#include "voice/split.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "base/utf8.h"
#include "voice/tags.h"

namespace svc::voice {
namespace {

constexpr std::array<sv, 42> k_abbreviations = {
    "mr",  "mrs",  "ms",   "dr",  "prof", "st",  "sr",   "jr",   "vs",     "etc", "e.g",
    "i.e", "fig",  "vol",  "pp",  "ed",   "al",  "cf",   "ca",   "approx", "inc", "ltd",
    "co",  "corp", "dept", "gen", "col",  "sgt", "capt", "rev",  "hon",    "z.b", "d.h",
    "u.a", "bzw",  "usw",  "nr",  "hr",   "fr",  "str",  "evtl", "vgl"};
/// Only before a number: "No. 5".
constexpr std::array<sv, 3> k_before_numbers = {"no", "nos", "nrs"};

bool is_space(char32_t c) {
  return c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == 0x3000 || c == 0xA0;
}

bool is_blank(char byte) {
  return byte == ' ' || byte == '\n' || byte == '\t' || byte == '\r';
}

bool is_wide_stop(char32_t c) {
  return c == 0x3002 || c == 0xFF01 || c == 0xFF1F;
}

bool closes(char32_t c) {
  return std::u32string_view(U"\"')]}»”’」』").find(c) != std::u32string_view::npos;
}

/// The code point that ends before byte `at`, and where it begins.
char32_t before(sv text, std::size_t at, std::size_t& begin) {
  begin = at - 1;
  while (begin > 0 && (static_cast<unsigned char>(text[begin]) & 0xC0U) == 0x80) --begin;
  std::size_t position = begin;
  return decode_utf8(text, position);
}

/// The word in front of a full stop, in lower case.
std::string word_before(sv text, std::size_t cancel) {
  std::size_t begin = cancel;
  while (begin > 0 && !is_blank(text[begin - 1]) && text[begin - 1] != '(' &&
         text[begin - 1] != '"') {
    --begin;
  }
  return to_lower(text.substr(begin, cancel - begin));
}

bool is_abbreviation(sv text, std::size_t cancel) {
  const std::string word = word_before(text, cancel);
  if (std::find(k_abbreviations.begin(), k_abbreviations.end(), word) != k_abbreviations.end()) {
    return true;
  }
  std::size_t next = cancel + 1;
  while (next < text.size() && is_blank(text[next])) ++next;
  const bool number = next < text.size() && text[next] >= '0' && text[next] <= '9';
  if (number &&
      std::find(k_before_numbers.begin(), k_before_numbers.end(), word) != k_before_numbers.end()) {
    return true;
  }
  // An initial: "J. S. Bach".
  return count_code_points(word) == 1 && word != "i" && !(word[0] >= '0' && word[0] <= '9');
}

/// Does a small letter follow? Then nothing has ended: "3. place", "etc. and so on".
bool goes_on(sv text, std::size_t at) {
  while (at < text.size() && is_blank(text[at])) ++at;
  return at < text.size() && text[at] >= 'a' && text[at] <= 'z';
}

/// Where a closing tag begins that ends before byte `end`; `end` when there is none.
std::size_t closing_tag(sv text, std::size_t end) {
  const std::size_t open = text.substr(0, end).rfind("</");
  const auto tag = open == sv::npos ? std::nullopt : tag_at(text, open);
  return tag && tag->end == end ? open : end;
}

/// How good a place is for a cut.
enum class Place : std::uint8_t { None, Word, Clause, Line, Sentence, Paragraph };

Place place_of(sv text, std::size_t at) {
  std::size_t begin = 0;
  const char32_t last = before(text, at, begin);
  std::size_t next = at;
  const char32_t following = at < text.size() ? decode_utf8(text, next) : U' ';
  if (is_wide_stop(last)) return Place::Sentence;
  if (!is_space(following)) return Place::None;
  std::size_t lines = 0;
  for (std::size_t i = at; i < text.size() && is_blank(text[i]); ++i) {
    lines += text[i] == '\n' ? 1 : 0;
  }
  if (lines > 1) return Place::Paragraph;
  if (ends_sentence(text, at)) return Place::Sentence;
  if (lines == 1) return Place::Line;
  if (last == ',' || last == ';' || last == ':' || last == 0x2013 || last == 0x2014) {
    return Place::Clause;
  }
  return is_space(last) ? Place::None : Place::Word;
}

/// Follows the wrapping tags of a text.
class Wraps {
 public:
  void take(const Tag& tag) {
    if (!tag.known || tag.kind == Tag::Kind::Inline) return;
    if (tag.kind == Tag::Kind::Open) {
      m_open.push_back(tag.name);
      return;
    }
    const auto found = std::find(m_open.rbegin(), m_open.rend(), tag.name);
    if (found != m_open.rend()) m_open.erase(std::next(found).base());
  }
  [[nodiscard]] const std::vector<sv>& open() const noexcept { return m_open; }

 private:
  std::vector<sv> m_open{};
};

struct Cut {
  std::size_t at = 0;
  Place place = Place::None;
  std::vector<sv> open{};  ///< tags that the cut is inside of
};

/// The best cut within the first `most` code points of `text`, which has more.
Cut find_cut(sv text, std::size_t most) {
  std::array<Cut, 6> outside{};  // the last of each kind
  std::array<Cut, 6> inside{};
  Wraps wraps;
  std::size_t at = 0;
  std::size_t count = 0;
  while (at < text.size() && count < most) {
    std::size_t end = at;
    if (const auto tag = tag_at(text, at)) {
      if (count + (tag->end - tag->begin) > most) break;
      wraps.take(*tag);
      count += tag->end - tag->begin;
      end = tag->end;
    } else {
      (void)decode_utf8(text, end);
      ++count;
    }
    at = end;
    const Place place = place_of(text, at);
    Cut& cut = (wraps.open().empty() ? outside : inside)[static_cast<std::size_t>(place)];
    cut = {at, place, wraps.open()};
  }
  // A better kind wins where it leaves no part that is much too short; last of all comes a cut
  // inside a tag, or inside a word.
  const std::size_t half = at / 2;
  for (const std::size_t least : {half, half / 2, std::size_t{1}}) {
    for (std::size_t kind = outside.size() - 1; kind > 0; --kind) {
      if (outside[kind].at >= least) return outside[kind];
    }
  }
  for (std::size_t kind = inside.size() - 1; kind > 0; --kind) {
    if (inside[kind].at >= half) return inside[kind];
  }
  return {at, Place::None, wraps.open()};
}

/// Whether `text` has at most `most` characters. Looks no further than needed.
bool fits(sv text, std::size_t most) {
  std::size_t count = 0;
  for (std::size_t at = 0; at < text.size();) {
    if (++count > most) return false;
    (void)decode_utf8(text, at);
  }
  return true;
}

std::size_t skip_space(sv text, std::size_t at) {
  while (at < text.size()) {
    std::size_t next = at;
    if (!is_space(decode_utf8(text, next))) break;
    at = next;
  }
  return at;
}

}  // namespace

bool ends_sentence(sv text, std::size_t at) {
  std::size_t end = at;
  std::size_t begin = 0;
  char32_t last = 0;
  while (end > 0) {
    last = before(text, end, begin);
    if (last == '>') begin = closing_tag(text, end);
    if (!closes(last) && (last != '>' || begin == end)) break;
    end = begin;
  }
  if (end == 0) return false;
  if (last == '!' || last == '?' || last == 0x2026 || is_wide_stop(last)) return !goes_on(text, at);
  if (last != '.') return false;
  return !is_abbreviation(text, begin) && !goes_on(text, at);
}

std::vector<TextPart> split_text(sv text, std::size_t most) {
  if (fits(text, most)) return {{std::string(text), 0}};
  std::vector<TextPart> parts;
  std::vector<sv> again;  // tags that the last cut was inside of
  std::size_t at = skip_space(text, 0);
  while (at < text.size()) {
    std::string head;
    std::size_t closers = 0;
    for (const sv name : again) {
      head += "<" + std::string(name) + ">";
      closers += name.size() + 3;
    }
    const sv rest = text.substr(at);
    const std::size_t room =
        most > 2 * (head.size() + closers) ? most - head.size() - closers : most;
    if (head.size() < most && fits(rest, most - head.size())) {
      parts.push_back({head + std::string(rest), at});
      break;
    }
    // A cut inside of tags needs room for closing them: six names at most.
    const Cut cut = find_cut(rest, room > 400 ? room - 100 : room);
    std::string part = head + std::string(rest.substr(0, cut.at));
    std::vector<sv> open = again;
    Wraps wraps;
    for (std::size_t i = 0; i < part.size(); ++i) {
      if (const auto tag = tag_at(part, i)) wraps.take(*tag);
    }
    again.clear();
    std::string tail;
    for (const sv name : wraps.open()) {
      // `part` is destroyed; the name is in the text or in the earlier tags.
      const auto old = std::find(open.begin(), open.end(), name);
      const auto now = std::find(cut.open.begin(), cut.open.end(), name);
      again.push_back(now != cut.open.end() ? *now : *old);
      tail = "</" + std::string(name) + ">" + tail;
    }
    parts.push_back({part + tail, at});
    at = skip_space(text, at + cut.at);
  }
  return parts;
}

}  // namespace svc::voice
