#include <algorithm>
#include <array>
#include <charconv>

#include "base/text.h"
#include "emulator/api/files/extract.h"

namespace svc::emulator {
namespace {

struct Entity {
  sv name;
  sv text;
};

constexpr std::array k_entities = {
    Entity{"amp", "&"},    Entity{"lt", "<"},    Entity{"gt", ">"},     Entity{"quot", "\""},
    Entity{"apos", "'"},   Entity{"nbsp", " "},  Entity{"ndash", "–"},  Entity{"mdash", "—"},
    Entity{"hellip", "…"}, Entity{"copy", "©"},  Entity{"euro", "€"},   Entity{"auml", "ä"},
    Entity{"ouml", "ö"},   Entity{"uuml", "ü"},  Entity{"Auml", "Ä"},   Entity{"Ouml", "Ö"},
    Entity{"Uuml", "Ü"},   Entity{"szlig", "ß"}, Entity{"eacute", "é"}, Entity{"egrave", "è"},
    Entity{"agrave", "à"},
};

constexpr std::array<sv, 21> k_blocks = {
    "p",  "div", "br",    "li",  "ul", "ol",      "tr",      "h1",     "h2",    "h3",    "h4",
    "h5", "h6",  "table", "pre", "hr", "section", "article", "header", "title", "footer"};

// What `&name;` at the beginning of `text` stands for, and its length; nothing for another &.
bool decode_entity(sv text, std::string& out, std::size_t& length) {
  const std::size_t end = text.substr(0, 12).find(';');
  if (end == sv::npos) return false;
  sv name = text.substr(1, end - 1);
  length = end + 1;
  if (name.starts_with('#')) {
    name.remove_prefix(1);
    const bool hex = name.starts_with('x') || name.starts_with('X');
    if (hex) name.remove_prefix(1);
    std::uint32_t code = 0;
    const char* last = name.data() + name.size();
    const auto read = std::from_chars(name.data(), last, code, hex ? 16 : 10);
    if (name.empty() || read.ptr != last || read.ec != std::errc{}) return false;
    const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
    append_utf8(out, code == 0 || code > 0x10FFFF || surrogate ? U'\uFFFD' : char32_t{code});
    return true;
  }
  const auto found = std::ranges::find(k_entities, name, &Entity::name);
  if (found == k_entities.end()) return false;
  out += found->text;
  return true;
}

class Writer {
 public:
  void add(sv text) {
    for (const char c : text) {
      const bool blank = c == ' ' || c == '\t' || c == '\n' || c == '\r';
      if (!blank) {
        if (m_blank && !m_out.empty() && m_out.back() != '\n') m_out += ' ';
        m_out += c;
      }
      m_blank = blank;
    }
  }
  void break_line() {
    if (!m_out.empty() && m_out.back() != '\n') m_out += '\n';
    m_blank = false;
  }
  [[nodiscard]] std::string take() { return std::move(m_out); }

 private:
  std::string m_out{};
  bool m_blank = false;
};

// The end of the tag that begins at `at`; a > in a quoted value does not count.
std::size_t tag_end(sv html, std::size_t at) {
  char quote = 0;
  for (; at < html.size(); ++at) {
    const char c = html[at];
    if (quote != 0) {
      if (c == quote) quote = 0;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '>') {
      return at + 1;
    }
  }
  return html.size();
}

std::string tag_name(sv tag) {
  tag.remove_prefix(std::min<std::size_t>(tag.starts_with("</") ? 2 : 1, tag.size()));
  return to_lower(tag.substr(0, tag.find_first_of(" \t\r\n/>")));
}

std::size_t after(sv html, std::size_t at, sv mark) {
  const std::size_t found = html.find(mark, at);
  return found == sv::npos ? html.size() : found + mark.size();
}

// The end of what nobody reads: <script>…</script>.
std::size_t skip_element(sv html, std::size_t at, const std::string& name) {
  std::string close = "</";
  close += name;
  for (; at < html.size(); ++at) {
    if (html[at] == '<' && equals_ignore_case(html.substr(at, close.size()), close)) {
      return tag_end(html, at);
    }
  }
  return html.size();
}

bool begins_tag(sv rest) {
  if (rest.size() < 2) return false;
  const char c = rest[1];
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '/' || c == '!' || c == '?';
}

}  // namespace

std::string html_text(sv html) {
  Writer writer;
  std::string decoded;
  for (std::size_t at = 0; at < html.size();) {
    const sv rest = html.substr(at);
    if (rest.starts_with("<!--")) {
      at = after(html, at + 4, "-->");
    } else if (rest.front() == '<' && begins_tag(rest)) {
      const std::size_t end = tag_end(html, at);
      const std::string name = tag_name(html.substr(at, end - at));
      const bool opens = !rest.starts_with("</");
      if (std::ranges::find(k_blocks, sv(name)) != k_blocks.end()) writer.break_line();
      at = opens && (name == "script" || name == "style") ? skip_element(html, end, name) : end;
    } else if (rest.front() == '&') {
      std::size_t length = 1;
      decoded.clear();
      if (!decode_entity(rest, decoded, length)) {
        decoded.assign(1, '&');
        length = 1;
      }
      writer.add(decoded);
      at += length;
    } else {
      const std::size_t end = std::min(html.find_first_of("<&", at + 1), html.size());
      writer.add(html.substr(at, end - at));
      at = end;
    }
  }
  writer.break_line();
  return writer.take();
}

}  // namespace svc::emulator
