#include "voice/speech_text.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/text.h"
#include "base/utf8.h"

namespace svc::voice {
namespace {

constexpr std::array<sv, 42> k_abbreviations = {
    "mr",  "mrs",  "ms",   "dr",  "prof", "st",  "sr",   "jr",   "vs",     "etc", "e.g",
    "i.e", "fig",  "vol",  "pp",  "ed",   "al",  "cf",   "ca",   "approx", "inc", "ltd",
    "co",  "corp", "dept", "gen", "col",  "sgt", "capt", "rev",  "hon",    "z.b", "d.h",
    "u.a", "bzw",  "usw",  "nr",  "hr",   "fr",  "str",  "evtl", "vgl"};
/// Abbreviations only before a number: "No. 5".
constexpr std::array<sv, 3> k_before_numbers = {"no", "nos", "nrs"};

bool is_space(char32_t c) {
  return c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == 0x3000 || c == 0xA0;
}

bool is_blank(char byte) {
  return byte == ' ' || byte == '\n' || byte == '\t' || byte == '\r';
}

bool is_fullwidth_stop(char32_t c) {
  return c == 0x3002 || c == 0xFF01 || c == 0xFF1F;
}

bool is_closing_punctuation(char32_t c) {
  return std::u32string_view(U"\"')]}»”’」』").find(c) != std::u32string_view::npos;
}

/// The code point that ends before byte `at`; sets `begin` to its offset.
char32_t before(sv text, std::size_t at, std::size_t& begin) {
  begin = at - 1;
  while (begin > 0 && (static_cast<unsigned char>(text[begin]) & 0xC0U) == 0x80) --begin;
  std::size_t position = begin;
  return decode_utf8(text, position);
}

/// The word before a full stop, in lower case.
std::string word_before(sv text, std::size_t stop) {
  std::size_t begin = stop;
  while (begin > 0 && !is_blank(text[begin - 1]) && text[begin - 1] != '(' &&
         text[begin - 1] != '"') {
    --begin;
  }
  return to_lower(text.substr(begin, stop - begin));
}

bool is_abbreviation(sv text, std::size_t stop) {
  const std::string word = word_before(text, stop);
  if (std::find(k_abbreviations.begin(), k_abbreviations.end(), word) != k_abbreviations.end()) {
    return true;
  }
  std::size_t next = stop + 1;
  while (next < text.size() && is_blank(text[next])) ++next;
  const bool number = next < text.size() && is_digit(text[next]);
  if (number &&
      std::find(k_before_numbers.begin(), k_before_numbers.end(), word) != k_before_numbers.end()) {
    return true;
  }
  // An initial: "J. S. Bach".
  return count_code_points(word) == 1 && word != "i" && !is_digit(word[0]);
}

/// Whether a lower-case letter follows, so that nothing has ended: "3. place", "etc. and so on".
bool continues_in_lower_case(sv text, std::size_t at) {
  while (at < text.size() && is_blank(text[at])) ++at;
  return at < text.size() && text[at] >= 'a' && text[at] <= 'z';
}

/// The offset of the closing tag that ends before byte `end`; `end` if there is none.
std::size_t closing_tag(sv text, std::size_t end) {
  const std::size_t open = text.substr(0, end).rfind("</");
  const auto tag = open == sv::npos ? std::nullopt : tag_at(text, open);
  return tag && tag->end == end ? open : end;
}

/// Places to split, from worst to best.
enum class Boundary : std::uint8_t { None, Word, Clause, Line, Sentence, Paragraph };

Boundary boundary_at(sv text, std::size_t at) {
  std::size_t begin = 0;
  const char32_t last = before(text, at, begin);
  std::size_t next = at;
  const char32_t following = at < text.size() ? decode_utf8(text, next) : U' ';
  if (is_fullwidth_stop(last)) return Boundary::Sentence;
  if (!is_space(following)) return Boundary::None;
  std::size_t lines = 0;
  for (std::size_t i = at; i < text.size() && is_blank(text[i]); ++i) {
    lines += text[i] == '\n' ? 1 : 0;
  }
  if (lines > 1) return Boundary::Paragraph;
  if (ends_sentence(text, at)) return Boundary::Sentence;
  if (lines == 1) return Boundary::Line;
  if (last == ',' || last == ';' || last == ':' || last == 0x2013 || last == 0x2014) {
    return Boundary::Clause;
  }
  return is_space(last) ? Boundary::None : Boundary::Word;
}

/// Tracks the open wrapping tags of a text.
class TagTracker {
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

struct SplitPoint {
  std::size_t at = 0;
  Boundary boundary = Boundary::None;
  std::vector<sv> open{};  ///< tags open at the cut
};

/// The last cut of each kind.
using SplitPoints = std::array<SplitPoint, 6>;

/// The cut of the best kind that is not before `least`; null if there is none. One inside a word is
/// none.
const SplitPoint* best_of(const SplitPoints& cuts, std::size_t least) {
  const auto end = std::prev(cuts.rend());
  const auto found =
      std::find_if(cuts.rbegin(), end, [&](const SplitPoint& cut) { return cut.at >= least; });
  return found == end ? nullptr : &*found;
}

/// The best cut within the first `most` code points of `text`, which is longer.
SplitPoint find_split(sv text, std::size_t most) {
  SplitPoints outside;
  SplitPoints inside;
  TagTracker tracker;
  std::size_t at = 0;
  std::size_t count = 0;
  while (at < text.size() && count < most) {
    std::size_t end = at;
    if (const auto tag = tag_at(text, at)) {
      // A tag that alone is longer is not split.
      if (at > 0 && count + (tag->end - tag->begin) > most) break;
      tracker.take(*tag);
      count += tag->end - tag->begin;
      end = tag->end;
    } else {
      (void)decode_utf8(text, end);
      ++count;
    }
    at = end;
    const Boundary boundary = boundary_at(text, at);
    SplitPoint& cut =
        (tracker.open().empty() ? outside : inside)[static_cast<std::size_t>(boundary)];
    cut = {at, boundary, tracker.open()};
  }
  // A better kind takes precedence unless its part would be much too short. A cut inside a tag or a
  // word is the last resort.
  const std::size_t half = std::max<std::size_t>(at / 2, 1);
  const std::size_t quarter = std::max<std::size_t>(half / 2, 1);
  for (const std::size_t least : {half, quarter, std::size_t{1}}) {
    if (const SplitPoint* cut = best_of(outside, least)) return *cut;
  }
  if (const SplitPoint* cut = best_of(inside, half)) return *cut;
  return {at, Boundary::None, tracker.open()};
}

/// Whether `text` has at most `most` characters. Does not scan further than necessary.
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

constexpr std::array<sv, 14> k_inline_tags = {
    "pause", "long-pause",   "hum-tune",  "laugh",  "chuckle", "giggle", "cry",
    "tsk",   "tongue-click", "lip-smack", "breath", "inhale",  "exhale", "sigh"};
constexpr std::array<sv, 13> k_wrapping_tags = {"soft",
                                                "whisper",
                                                "loud",
                                                "build-intensity",
                                                "decrease-intensity",
                                                "higher-pitch",
                                                "lower-pitch",
                                                "slow",
                                                "fast",
                                                "sing-song",
                                                "singing",
                                                "laugh-speak",
                                                "emphasis"};
constexpr std::size_t k_max_tag = 30;
constexpr std::size_t k_max_warnings = 10;

template <std::size_t N>
bool is_among(const std::array<sv, N>& names, sv name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// Collects warnings, the first ones in full.
class Warnings {
 public:
  void add(std::string sentence) {
    if (++m_count <= k_max_warnings) m_all.push_back(std::move(sentence));
  }
  std::vector<std::string> take() {
    if (m_count > k_max_warnings) {
      m_all.push_back(fmt::format("and {} more invalid tags", m_count - k_max_warnings));
    }
    return std::move(m_all);
  }

 private:
  std::vector<std::string> m_all{};
  std::size_t m_count = 0;
};

std::string unknown_tag(sv text, const Tag& tag) {
  const std::string shown(text.substr(tag.begin, tag.end - tag.begin));
  const std::string name = to_lower(tag.name);
  if (tag.kind == Tag::Kind::Inline && is_among(k_wrapping_tags, name)) {
    return fmt::format("{} must wrap text: <{}>…</{}>", shown, name, name);
  }
  if (tag.kind != Tag::Kind::Inline && is_among(k_inline_tags, name)) {
    return fmt::format("{} cannot wrap text: write [{}]", shown, name);
  }
  const sv near =
      tag.kind == Tag::Kind::Inline ? nearest(name, k_inline_tags) : nearest(name, k_wrapping_tags);
  if (near.empty()) {
    return fmt::format("the service does not know the tag {} and may read it out", shown);
  }
  return fmt::format("the service does not know the tag {}; did you mean {}?", shown, near);
}

}  // namespace

bool ends_sentence(sv text, std::size_t at) {
  std::size_t end = at;
  std::size_t begin = 0;
  char32_t last = 0;
  while (end > 0) {
    last = before(text, end, begin);
    if (last == '>') begin = closing_tag(text, end);
    if (!is_closing_punctuation(last) && (last != '>' || begin == end)) break;
    end = begin;
  }
  if (end == 0) return false;
  if (last == '!' || last == '?' || last == 0x2026 || is_fullwidth_stop(last))
    return !continues_in_lower_case(text, at);
  if (last != '.') return false;
  return !is_abbreviation(text, begin) && !continues_in_lower_case(text, at);
}

std::vector<TextPart> split_text(sv text, std::size_t most) {
  if (fits(text, most)) return {{std::string(text), 0}};
  std::vector<TextPart> parts;
  std::vector<sv> reopened_tags;  // tags open at the previous cut
  std::size_t at = skip_space(text, 0);
  while (at < text.size()) {
    std::string head;
    std::size_t closing_size = 0;
    for (const sv name : reopened_tags) {
      head += "<" + std::string(name) + ">";
      closing_size += name.size() + 3;
    }
    const sv rest = text.substr(at);
    const std::size_t room =
        most > 2 * (head.size() + closing_size) ? most - head.size() - closing_size : most;
    if (head.size() < most && fits(rest, most - head.size())) {
      parts.push_back({head + std::string(rest), at});
      break;
    }
    // A cut inside tags needs room to close them: six names at most.
    const SplitPoint cut = find_split(rest, room > 400 ? room - 100 : room);
    std::string part = head + std::string(rest.substr(0, cut.at));
    std::vector<sv> open = reopened_tags;
    TagTracker tracker;
    for (std::size_t i = 0; i < part.size(); ++i) {
      if (const auto tag = tag_at(part, i)) tracker.take(*tag);
    }
    reopened_tags.clear();
    std::string tail;
    for (const sv name : tracker.open()) {
      // `part` is about to be destroyed, so refer to the name in the text or in the earlier tags.
      const auto old = std::find(open.begin(), open.end(), name);
      const auto now = std::find(cut.open.begin(), cut.open.end(), name);
      reopened_tags.push_back(now != cut.open.end() ? *now : *old);
      tail = "</" + std::string(name) + ">" + tail;
    }
    parts.push_back({part + tail, at});
    at = skip_space(text, at + cut.at);
  }
  return parts;
}

std::optional<Tag> tag_at(sv text, std::size_t at) {
  if (at >= text.size() || (text[at] != '[' && text[at] != '<')) return std::nullopt;
  const char closing = text[at] == '[' ? ']' : '>';
  Tag tag{.kind = closing == ']' ? Tag::Kind::Inline : Tag::Kind::Open, .begin = at};
  std::size_t from = at + 1;
  if (closing == '>' && from < text.size() && text[from] == '/') {
    tag.kind = Tag::Kind::Close;
    ++from;
  }
  std::size_t to = from;
  while (to < text.size() && to - from <= k_max_tag && (is_letter(text[to]) || text[to] == '-')) {
    ++to;
  }
  if (to == from || to >= text.size() || text[to] != closing || !is_letter(text[from])) {
    return std::nullopt;
  }
  tag.name = text.substr(from, to - from);
  tag.end = to + 1;
  tag.known = tag.kind == Tag::Kind::Inline ? is_among(k_inline_tags, tag.name)
                                            : is_among(k_wrapping_tags, tag.name);
  return tag;
}

std::vector<std::string> check_tags(sv text) {
  Warnings warnings;
  std::vector<sv> open;
  for (std::size_t at = text.find_first_of("[<"); at != sv::npos;
       at = text.find_first_of("[<", at)) {
    const auto tag = tag_at(text, at);
    at = tag ? tag->end : at + 1;
    if (!tag) continue;
    if (!tag->known) {
      warnings.add(unknown_tag(text, *tag));
    } else if (tag->kind == Tag::Kind::Open) {
      open.push_back(tag->name);
    } else if (tag->kind == Tag::Kind::Close) {
      const auto found = std::find(open.rbegin(), open.rend(), tag->name);
      if (found == open.rend()) {
        warnings.add(fmt::format("</{}> has no opening tag", tag->name));
        continue;
      }
      if (found != open.rbegin()) {
        warnings.add(
            fmt::format("</{}> comes before </{}>: tags must not overlap", tag->name, open.back()));
      }
      open.erase(std::next(found).base());
    }
  }
  for (const sv name : open)
    warnings.add(fmt::format("<{}> is not closed: </{}> is missing", name, name));
  return warnings.take();
}

}  // namespace svc::voice
