// Interprets inline markup with md4c.
#include <algorithm>
#include <array>
#include <cstdint>
#include <exception>
#include <utility>
#include <vector>

#include <md4c.h>

#include "base/text.h"
#include "print/markdown_inline.h"

namespace svc::print {
namespace {

/// Makes md4c see a paragraph, whatever the text starts with; removed from the first text.
constexpr sv k_lead = "x ";

/// Replaces a newline: whitespace to md4c, but not a place where a block could start. Safe text
/// never contains one.
constexpr char k_line_end = '\f';

struct Walk {
  Flow& flow;
  unsigned base;
  bool color;
  bool begun = false;
  std::array<std::uint8_t, 6> depth{};  ///< of bold, italic, strike, code, link, image
  struct Link {
    std::string url;
    std::string shown;  ///< its text
  };
  std::vector<Link> links{};  ///< open links: a URL within a link's text is a link as well
  std::exception_ptr failure{};
};

/// md4c is written in C: an exception thrown in a callback would leak its memory. It stops when a
/// callback returns nonzero.
template <typename Work>
int within_c(void* data, Work work) noexcept {
  Walk& walk = *static_cast<Walk*>(data);
  try {
    work(walk);
    return 0;
  } catch (...) {
    walk.failure = std::current_exception();
    return -1;
  }
}

enum Span : std::uint8_t { k_strong, k_em, k_del, k_code, k_a, k_img, k_none };

Span span_of(MD_SPANTYPE type) {
  switch (type) {
    case MD_SPAN_STRONG:
      return k_strong;
    case MD_SPAN_EM:
      return k_em;
    case MD_SPAN_DEL:
      return k_del;
    case MD_SPAN_CODE:
      return k_code;
    case MD_SPAN_A:
      return k_a;
    case MD_SPAN_IMG:
      return k_img;
    default:
      return k_none;
  }
}

unsigned look_of(const Walk& walk) {
  constexpr std::array<unsigned, 6> k_looks = {k_look_bold, k_look_italic,    k_look_strike,
                                               k_look_cyan, k_look_underline, 0};
  unsigned look = walk.base;
  for (std::size_t i = 0; i < k_looks.size(); ++i) look |= walk.depth[i] > 0 ? k_looks[i] : 0U;
  return look;
}

/// Without looks, the marks themselves are shown.
void mark(Walk& walk, Span span) {
  constexpr std::array<sv, 6> k_marks = {"**", "*", "~~", "`", "", ""};
  if (!walk.color && span < k_none) walk.flow.text(k_marks[span], walk.base);
}

std::string attribute_text(const MD_ATTRIBUTE& attribute) {
  std::string text;
  if (attribute.text == nullptr) return text;
  for (unsigned i = 0; attribute.substr_offsets[i] < attribute.size; ++i) {
    const unsigned begin = attribute.substr_offsets[i];
    const sv part(attribute.text + begin, attribute.substr_offsets[i + 1] - begin);
    text += attribute.substr_types[i] == MD_TEXT_ENTITY ? entity_text(part) : std::string(part);
  }
  return text;
}

void enter(Walk& walk, Span span, void* detail) {
  if (span == k_none) return;
  mark(walk, span);
  ++walk.depth[span];
  if (span == k_a) {
    walk.links.push_back({attribute_text(static_cast<MD_SPAN_A_DETAIL*>(detail)->href), {}});
    walk.flow.link(walk.links.back().url);
  }
  if (span == k_img) {
    walk.links.push_back({attribute_text(static_cast<MD_SPAN_IMG_DETAIL*>(detail)->src), {}});
    walk.flow.text("[image: ", walk.base);
  }
}

void leave(Walk& walk, Span span) {
  if (span == k_none) return;
  --walk.depth[span];
  mark(walk, span);
  if (span == k_img) walk.flow.text("]", walk.base);
  if ((span != k_a && span != k_img) || walk.links.empty()) return;
  const Walk::Link link = std::move(walk.links.back());
  walk.links.pop_back();
  walk.flow.link({});
  // Always show the URL: a link's text may differ from its target.
  if (link.url != link.shown && !link.url.empty()) {
    walk.flow.text(" (" + link.url + ")", walk.base | k_look_dim);
  }
}

void show_text(Walk& walk, MD_TEXTTYPE type, sv piece) {
  if (!walk.begun) {
    walk.begun = true;
    piece.remove_prefix(std::min(k_lead.size(), piece.size()));
  }
  const std::string safe = type == MD_TEXT_ENTITY ? entity_text(piece) : std::string();
  if (type == MD_TEXT_ENTITY) piece = safe;
  if (type == MD_TEXT_BR || type == MD_TEXT_SOFTBR) {
    return walk.flow.newline();
  }
  if (!walk.links.empty()) walk.links.back().shown += piece;
  for (bool first = true; const sv line : split(piece, k_line_end)) {
    if (!std::exchange(first, false)) walk.flow.newline();
    walk.flow.text(line, look_of(walk));
  }
}

int enter_span(MD_SPANTYPE type, void* detail, void* data) {
  return within_c(data, [=](Walk& walk) { enter(walk, span_of(type), detail); });
}

int leave_span(MD_SPANTYPE type, void* /*detail*/, void* data) {
  return within_c(data, [=](Walk& walk) { leave(walk, span_of(type)); });
}

int on_text(MD_TEXTTYPE type, const MD_CHAR* text, MD_SIZE size, void* data) {
  return within_c(data, [=](Walk& walk) { show_text(walk, type, sv(text, size)); });
}

int on_block(MD_BLOCKTYPE /*type*/, void* /*detail*/, void* /*data*/) {
  return 0;
}

sv blanks_at_end(sv text) {
  const std::size_t last = text.find_last_not_of(" \t\n");
  return text.substr(last == sv::npos ? 0 : last + 1);
}

bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n';
}

bool is_punctuation(char c) {
  return (c >= '!' && c <= '/') || (c >= ':' && c <= '@') || (c >= '[' && c <= '`') ||
         (c >= '{' && c <= '~');
}

/// Returns the end of the code span that starts at `at`; `at` if it is not closed.
std::size_t code_end(sv source, std::size_t at) {
  const std::size_t text = std::min(source.find_first_not_of('`', at), source.size());
  const std::size_t length = text - at;
  for (std::size_t next = source.find('`', text); next != sv::npos;) {
    const std::size_t end = std::min(source.find_first_not_of('`', next), source.size());
    if (end - next == length) return end;
    next = source.find('`', end);
  }
  return at;
}

/// Returns the end of `$ … $` or `$$ … $$`; `at` for a dollar that starts no formula, as in an
/// amount.
std::size_t dollar_end(sv source, std::size_t at) {
  if (source.substr(at).starts_with("$$")) {
    const std::size_t end = source.find("$$", at + 2);
    return end == sv::npos ? at : end + 2;
  }
  if (at + 1 >= source.size() || is_space(source[at + 1])) return at;
  const std::size_t number = source.find_first_not_of("0123456789.,", at + 1);
  if (number == sv::npos || (number > at + 1 && is_space(source[number]))) return at;
  for (std::size_t end = at + 1; end < source.size() && source[end] != '\n'; ++end) {
    if (source[end] == '\\') {
      ++end;
    } else if (source[end] == '$') {
      return is_space(source[end - 1]) ? at : end + 1;
    }
  }
  return at;
}

/// Returns the end of the formula that starts at `at`; `at` if there is none.
std::size_t formula_end(sv source, std::size_t at) {
  if (source[at] == '$') return dollar_end(source, at);
  const sv mark = source.substr(at, 2);
  if (mark != "\\(" && mark != "\\[") return at;
  const char closing = mark[1] == '(' ? ')' : ']';
  for (std::size_t end = at + 2; end + 1 < source.size(); ++end) {
    if (source[end] != '\\') continue;
    if (source[end + 1] == closing) return end + 2;
    ++end;
  }
  return at;
}

}  // namespace

std::string keep_formulas(sv source) {
  if (source.find_first_of("\\$") == sv::npos) return std::string(source);
  constexpr sv k_kept = "{}\\";
  constexpr std::size_t k_max_looks = 64;  // unclosed marks are searched for repeatedly
  std::string kept;
  std::size_t looks = 0;
  for (std::size_t at = 0; at < source.size();) {
    const char c = source[at];
    const bool may = looks < k_max_looks && sv("`$\\").find(c) != sv::npos;
    const std::size_t end = !may ? at : c == '`' ? code_end(source, at) : formula_end(source, at);
    if (end > at) {
      for (const char inside : source.substr(at, end - at)) {
        if (c != '`' && is_punctuation(inside)) kept += '\\';
        kept += inside;
      }
      at = end;
      continue;
    }
    if (may) ++looks;
    // Skip an unclosed run of backticks as a whole.
    std::size_t length =
        c == '`' ? std::min(source.find_first_not_of('`', at), source.size()) - at : 1;
    if (c == '\\' && at + 1 < source.size()) {
      length = 2;
      if (k_kept.find(source[at + 1]) != sv::npos) kept += "\\\\";
      kept += source.substr(at, 2);
    } else {
      kept += source.substr(at, length);
    }
    at += length;
  }
  return kept;
}

void inline_markup(Flow& flow, sv source, unsigned base_look) {
  Walk walk{flow, base_look, flow.terminal().color};
  if (source.starts_with(' ')) flow.text(" ", base_look);
  std::string text = std::string(k_lead) + keep_formulas(source);
  std::replace(text.begin(), text.end(), '\n', k_line_end);
  const MD_PARSER parser{0,
                         MD_FLAG_NOHTML | MD_FLAG_NOINDENTEDCODEBLOCKS | MD_FLAG_STRIKETHROUGH |
                             MD_FLAG_PERMISSIVEURLAUTOLINKS,
                         on_block,
                         on_block,
                         enter_span,
                         leave_span,
                         on_text,
                         nullptr,
                         nullptr};
  if (!trim(source).empty()) {
    const bool parsed =
        md_parse(text.data(), static_cast<MD_SIZE>(text.size()), &parser, &walk) == 0;
    if (walk.failure) std::rethrow_exception(walk.failure);
    if (!parsed) flow.text(source, base_look);
  }
  flow.text(blanks_at_end(source), base_look);
}

std::string entity_text(sv entity) {
  constexpr auto k_named = std::to_array<std::pair<sv, sv>>(
      {{"&amp;", "&"},    {"&lt;", "<"},        {"&gt;", ">"},     {"&quot;", "\""},
       {"&apos;", "'"},   {"&nbsp;", "\u00A0"}, {"&ndash;", "–"},  {"&mdash;", "—"},
       {"&hellip;", "…"}, {"&copy;", "©"},      {"&reg;", "®"},    {"&trade;", "™"},
       {"&deg;", "°"},    {"&times;", "×"},     {"&plusmn;", "±"}, {"&euro;", "€"},
       {"&rarr;", "→"},   {"&larr;", "←"},      {"&middot;", "·"}, {"&bull;", "•"}});
  for (const auto& [name, text] : k_named) {
    if (name == entity) return std::string(text);
  }
  if (!entity.starts_with("&#") || entity.size() > 12) return std::string(entity);
  const bool hexadecimal = entity.size() > 3 && (entity[2] == 'x' || entity[2] == 'X');
  char32_t code = 0;
  for (const char c : entity.substr(hexadecimal ? 3 : 2)) {
    if (c == ';') break;
    const char lower = c >= 'A' && c <= 'F' ? static_cast<char>(c + 32) : c;
    const int digit = lower >= 'a' ? lower - 'a' + 10 : lower - '0';
    code = code * (hexadecimal ? 16 : 10) + static_cast<char32_t>(digit);
  }
  if (code == 0 || code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF)) code = 0xFFFD;
  std::string text;
  append_utf8(text, code);
  return visible(text, Lines::Escape);
}

}  // namespace svc::print
