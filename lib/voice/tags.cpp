#include "voice/tags.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/text.h"

namespace svc::voice {
namespace {

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
constexpr std::size_t k_longest_tag = 30;
constexpr std::size_t k_most_warnings = 10;

template <std::size_t N>
bool is_among(const std::array<sv, N>& names, sv name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/// Collects sentences, the first ones in full.
class Warnings {
 public:
  void add(std::string sentence) {
    if (++m_count <= k_most_warnings) m_all.push_back(std::move(sentence));
  }
  std::vector<std::string> take() {
    if (m_count > k_most_warnings) {
      m_all.push_back(
          fmt::format("and {} more tags that are not right", m_count - k_most_warnings));
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
    return fmt::format("{} does nothing by itself: it wraps what it is for, <{}>…</{}>", shown,
                       name, name);
  }
  if (tag.kind != Tag::Kind::Inline && is_among(k_inline_tags, name)) {
    return fmt::format("{} wraps nothing: write [{}]", shown, name);
  }
  const sv near =
      tag.kind == Tag::Kind::Inline ? nearest(name, k_inline_tags) : nearest(name, k_wrapping_tags);
  if (near.empty()) {
    return fmt::format("the service does not know the tag {} and may read it out", shown);
  }
  return fmt::format("the service does not know the tag {}; did you mean {}?", shown, near);
}

}  // namespace

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
  while (to < text.size() && to - from <= k_longest_tag &&
         (is_letter(text[to]) || text[to] == '-')) {
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
        warnings.add(fmt::format("</{}> closes what was not opened", tag->name));
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
