#include "docgen/roff.h"

#include <fmt/format.h>

#include "base/text.h"
#include "print/width.h"

namespace svc::docgen {
namespace {

constexpr std::size_t k_source_columns = 78;

sv escape_for(char32_t code_point) {
  switch (code_point) {
    case U'\\':
      return "\\e";
    case U'-':
      return "\\-";
    case U'\'':
      return "\\(aq";
    case U'"':
      return "\\(dq";
    case U'`':
      return "\\(ga";
    case U'^':
      return "\\(ha";
    case U'~':
      return "\\(ti";
    default:
      return "";
  }
}

}  // namespace

std::string roff_text(sv text) {
  std::string out;
  if (text.starts_with('.')) out += "\\&";
  for (std::size_t at = 0; at < text.size();) {
    const char32_t code_point = decode_utf8(text, at);
    if (const sv escaped = escape_for(code_point); !escaped.empty()) {
      out += escaped;
    } else if (code_point < 0x80) {
      out += static_cast<char>(code_point);
    } else {
      out += fmt::format("\\[u{:04X}]", static_cast<std::uint32_t>(code_point));
    }
  }
  return out;
}

RoffPage::RoffPage(sv title, sv date, sv version) {
  m_source = ".\\\" Generated from the catalogue by svc-regen; edit lib/catalogue instead.\n";
  m_source += fmt::format(".TH \"{}\" 1 \"{}\" \"svc {}\" \"User Commands\"\n", roff_text(title),
                          date, version);
}

void RoffPage::name(sv name, sv what) {
  m_source += fmt::format("{} \\- {}\n", roff_text(name), roff_text(what));
}

void RoffPage::section(sv title) {
  m_source += fmt::format(".SH \"{}\"\n", roff_text(title));
  m_fresh = true;
}

void RoffPage::subsection(sv title) {
  m_source += fmt::format(".SS \"{}\"\n", roff_text(title));
  m_fresh = true;
}

void RoffPage::paragraph(sv plain) {
  separate();
  text(plain);
}

void RoffPage::entry(sv term, sv value, sv plain) {
  m_source += fmt::format(".TP\n\\fB{}\\fR", roff_text(term));
  if (!value.empty()) m_source += fmt::format(" \\fI{}\\fR", roff_text(value));
  m_source += '\n';
  m_fresh = false;
  text(plain);
}

void RoffPage::command(sv line) {
  separate();
  m_source += fmt::format(".RS 4\n.nf\n{}\n.fi\n.RE\n", roff_text(line));
}

std::string RoffPage::take() {
  return std::move(m_source);
}

void RoffPage::separate() {
  if (!m_fresh) m_source += ".PP\n";
  m_fresh = false;
}

void RoffPage::text(sv plain) {
  for (const std::string& line : print::wrap(plain, k_source_columns)) {
    m_source += roff_text(line) + "\n";
  }
}

}  // namespace svc::docgen
