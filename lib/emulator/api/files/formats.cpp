#include <libxml/HTMLparser.h>

#include "emulator/api/files/store.h"
#ifdef SVC_WITH_POPPLER
#include <poppler-document.h>
#include <poppler-global.h>
#include <poppler-page.h>
#endif

namespace svc::emulator {
namespace {

constexpr std::size_t k_max_parts = 1'000;
constexpr std::size_t k_longest_head = 16'384;

// Clients encode a quotation mark and line ends in names as %22, %0D and %0A, or escape the former
// with a backslash; any other percent sign is literal.
std::string unquote(sv text) {
  constexpr std::array<std::pair<sv, sv>, 3> k_codes = {
      {{"%22", "\""}, {"%0D", "\r"}, {"%0A", "\n"}}};
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool escapes =
        text[i] == '\\' && i + 1 < text.size() && sv("\"\\").find(text[i + 1]) != sv::npos;
    if (escapes) ++i;
    out += text[i];
  }
  for (const auto& [code, meaning] : k_codes) out = replace_all(out, code, meaning);
  return out;
}

// Returns a parameter of `form-data; name="a"; filename="b"`.
std::optional<std::string> parameter(sv header, sv wanted) {
  std::size_t at = header.find(';');
  while (at < header.size()) {
    const std::size_t equals = header.find('=', at);
    if (equals == sv::npos) return std::nullopt;
    const sv name = trim(header.substr(at + 1, equals - at - 1));
    std::size_t begin = equals + 1;
    std::size_t end = 0;
    std::string value;
    if (begin < header.size() && header[begin] == '"') {
      for (end = ++begin; end < header.size() && header[end] != '"'; ++end) {
        if (header[end] == '\\') ++end;
      }
      if (end >= header.size()) return std::nullopt;
      value = unquote(header.substr(begin, end - begin));
    } else {
      end = std::min(header.find(';', begin), header.size());
      value = std::string(trim(header.substr(begin, end - begin)));
    }
    if (equals_ignore_case(name, wanted)) return value;
    at = header.find(';', end);
  }
  return std::nullopt;
}

// Returns the start of the next delimiter: the mark, with only spaces up to the end of its line.
std::size_t find_delimiter(sv body, sv mark, std::size_t from) {
  for (std::size_t at = body.find(mark, from); at != sv::npos; at = body.find(mark, at + 1)) {
    const sv rest = body.substr(at + mark.size());
    if (rest.starts_with("--") || rest.starts_with("\r\n")) return at;
    const std::size_t end = rest.find_first_not_of(" \t");
    if (end != sv::npos && rest.substr(end).starts_with("\r\n")) return at;
  }
  return sv::npos;
}

Result<FormPart> read_head(sv head) {
  FormPart part;
  bool named = false;
  for (const sv line : split(head, '\n')) {
    const std::size_t colon = line.find(':');
    if (colon == sv::npos) continue;
    const sv name = trim(line.substr(0, colon));
    const sv value = trim(line.substr(colon + 1));
    if (equals_ignore_case(name, "content-type")) part.content_type = value;
    if (!equals_ignore_case(name, "content-disposition")) continue;
    if (auto field = parameter(value, "name")) {
      part.name = std::move(*field);
      named = true;
    }
    part.filename = parameter(value, "filename");
  }
  if (!named) return usage_error("A part of the form has no name.");
  return part;
}

}  // namespace

std::optional<std::string> form_boundary(sv content_type) {
  const sv media = trim(content_type.substr(0, content_type.find(';')));
  if (!equals_ignore_case(media, "multipart/form-data")) return std::nullopt;
  auto boundary = parameter(content_type, "boundary");
  if (!boundary || boundary->empty() || boundary->size() > 70) return std::nullopt;
  return boundary;
}

Result<std::vector<FormPart>> parse_form(sv body, sv boundary) {
  const std::string mark = fmt::format("\r\n--{}", boundary);
  std::vector<FormPart> parts;
  // The first boundary may be at the very start.
  const sv first = sv(mark).substr(2);
  std::size_t at = body.starts_with(first) ? first.size() : sv::npos;
  if (at == sv::npos) {
    at = find_delimiter(body, mark, 0);
    if (at == sv::npos) return usage_error("The form does not contain its boundary.");
    at += mark.size();
  }
  for (;;) {
    if (body.substr(at).starts_with("--")) return parts;
    const std::size_t line_end = body.find("\r\n", at);
    const std::size_t head_end = body.find("\r\n\r\n", line_end);
    if (head_end == sv::npos || head_end - line_end > k_longest_head) {
      return usage_error("A part of the form has no end of its headers.");
    }
    const std::size_t data_end = find_delimiter(body, mark, head_end + 2);
    if (data_end == sv::npos) return usage_error("The form ends before its closing boundary.");
    SVC_TRY(part, read_head(body.substr(line_end, head_end - line_end)));
    const std::size_t begin = std::min(head_end + 4, data_end);
    part.data = body.substr(begin, data_end - begin);
    parts.push_back(std::move(part));
    if (parts.size() > k_max_parts) return usage_error("The form has too many parts.");
    at = data_end + mark.size();
  }
}

Checked<std::vector<FormPart>> form_parts(const Request& request, sv body) {
  const auto boundary = form_boundary(request.header("Content-Type").value_or(""));
  if (!boundary) {
    return error_response(
        415, "Unsupported media type",
        "This operation takes a form: Content-Type: multipart/form-data with a boundary.");
  }
  auto parts = parse_form(body, *boundary);
  if (!parts) return invalid_argument_error(parts.error().message);
  return *std::move(parts);
}

namespace {

bool is_text(sv data) {
  return data.find('\0') == sv::npos && !first_invalid_utf8(data);
}

sv media_type(sv content_type) {
  return trim(content_type.substr(0, content_type.find(';')));
}

#ifdef SVC_WITH_POPPLER
Result<std::string> pdf_text(sv pdf) {
  constexpr std::size_t k_max_text = 64U << 20U;
  // Only once: it sets library variables that other threads read.
  static const bool silent =
      (poppler::set_debug_error_function([](const std::string&, void*) {}, nullptr), true);
  (void)silent;
  std::string text;
  if (pdf.size() <= std::numeric_limits<int>::max()) {
    const std::unique_ptr<poppler::document> document(
        poppler::document::load_from_raw_data(pdf.data(), static_cast<int>(pdf.size())));
    const int pages = document && !document->is_locked() ? document->pages() : 0;
    for (int i = 0; i < pages && text.size() < k_max_text; ++i) {
      const std::unique_ptr<poppler::page> page(document->create_page(i));
      if (!page) continue;
      const poppler::byte_array bytes = page->text().to_utf8();
      text.append(bytes.begin(), bytes.end());
    }
  }
  if (!trim(text).empty()) return text;
  return usage_error(
      "No text can be extracted from this PDF: it is damaged or encrypted, or contains no text.");
}
#else
Result<std::string> pdf_text(sv /*pdf*/) {
  return usage_error(
      "The emulator of the portable archive cannot read PDF files, as it is built without poppler. "
      "Build it from its sources, or send the text.");
}
#endif

/// Words separated by single spaces, in lines.
class LineWriter {
 public:
  void add(sv text) {
    for (const char c : text) {
      const bool is_space = c == ' ' || c == '\t' || c == '\n' || c == '\r';
      if (!is_space) {
        if (m_blank && !m_out.empty() && m_out.back() != '\n') m_out += ' ';
        m_out += c;
      }
      m_blank = is_space;
    }
  }
  void end_line() {
    if (!m_out.empty() && m_out.back() != '\n') m_out += '\n';
    m_blank = false;
  }
  [[nodiscard]] std::string take() { return std::move(m_out); }

 private:
  std::string m_out{};
  bool m_blank = false;
};

sv name_of(const xmlNode* node) {
  return node->name == nullptr ? sv{} : sv(reinterpret_cast<const char*>(node->name));
}

bool is_block(const xmlNode* node) {
  constexpr std::array<sv, 23> k_blocks = {
      "p",       "div",     "br",     "li",    "ul",     "ol",    "tr",  "h1",
      "h2",      "h3",      "h4",     "h5",    "h6",     "table", "pre", "hr",
      "section", "article", "header", "title", "footer", "body",  "html"};
  return node->type == XML_ELEMENT_NODE && has_element(k_blocks, name_of(node));
}

bool is_hidden(const xmlNode* node) {
  return node->type == XML_COMMENT_NODE || name_of(node) == "script" || name_of(node) == "style";
}

std::string html_text(sv html) {
  struct Free {
    void operator()(xmlDoc* document) const noexcept { xmlFreeDoc(document); }
  };
  constexpr int k_options =
      HTML_PARSE_RECOVER | HTML_PARSE_NOERROR | HTML_PARSE_NOWARNING | HTML_PARSE_NONET;
  if (html.empty() || html.size() > std::numeric_limits<int>::max()) return {};
  const std::unique_ptr<xmlDoc, Free> document(
      htmlReadMemory(html.data(), static_cast<int>(html.size()), nullptr, "UTF-8", k_options));
  LineWriter lines;
  // Not recursive: the sender controls how deeply elements are nested.
  for (const xmlNode* node = document ? document->children : nullptr; node != nullptr;) {
    if (is_block(node)) lines.end_line();
    if (node->type == XML_TEXT_NODE || node->type == XML_CDATA_SECTION_NODE) {
      lines.add(reinterpret_cast<const char*>(node->content));
    }
    if (node->children != nullptr && node->type == XML_ELEMENT_NODE && !is_hidden(node)) {
      node = node->children;
      continue;
    }
    while (node != nullptr && node->next == nullptr) {
      node = node->parent;
      if (node != nullptr && is_block(node)) lines.end_line();
    }
    if (node != nullptr) node = node->next;
  }
  lines.end_line();
  return lines.take();
}

}  // namespace

Result<std::string> extract_text(sv content_type, sv data) {
  constexpr sv k_byte_order_mark = "\xEF\xBB\xBF";
  const std::string media = to_lower(media_type(content_type));
  if (media == "application/pdf" || data.starts_with("%PDF-")) return pdf_text(data);
  if (is_text(data)) {
    if (data.starts_with(k_byte_order_mark)) data.remove_prefix(k_byte_order_mark.size());
    if (media == "text/html" || media == "application/xhtml+xml") return html_text(data);
    return std::string(data);
  }
  return usage_error(fmt::format(
      "No text can be extracted from this file of type {}: this emulator reads UTF-8 text, HTML "
      "and PDF documents.",
      media.empty() ? "unknown" : media));
}

}  // namespace svc::emulator
