#include "emulator/api/files/extract.h"

#include <algorithm>
#include <array>
#include <limits>
#include <memory>

#include <fmt/format.h>
#include <libxml/HTMLparser.h>
#include <poppler-document.h>
#include <poppler-global.h>
#include <poppler-page.h>

#include "base/text.h"

namespace svc::emulator {
namespace {

bool is_text(sv data) {
  return data.find('\0') == sv::npos && !first_invalid_utf8(data);
}

sv media_type(sv content_type) {
  return trim(content_type.substr(0, content_type.find(';')));
}

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
  return node->type == XML_ELEMENT_NODE &&
         std::ranges::find(k_blocks, name_of(node)) != k_blocks.end();
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
