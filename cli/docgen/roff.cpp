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

/// Prints text between backquotes in bold.
std::string in_bold(std::string text) {
  constexpr sv k_quote = "\\(ga";
  std::size_t open = text.find(k_quote);
  while (open != std::string::npos) {
    const std::size_t close = text.find(k_quote, open + k_quote.size());
    if (close == std::string::npos) break;
    text.replace(close, k_quote.size(), "\\fR");
    text.replace(open, k_quote.size(), "\\fB");
    open = text.find(k_quote, close);
  }
  return text;
}

/// Splits a long command line before flags, with a backslash at the end of each line.
std::string continued(sv line) {
  constexpr std::size_t k_columns = 66;  // of 80, between the margins of an example
  std::string out;
  std::size_t used = 0;
  std::size_t begin = 0;
  char quote = 0;
  const auto put = [&](sv part) {
    if (used > 0 && used + part.size() + 2 > k_columns) {
      out += " \\\n   ";
      used = 3;
    }
    out += part;
    used += part.size();
  };
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (quote == 0 && (line[i] == '\'' || line[i] == '"')) {
      quote = line[i];
    } else if (line[i] == quote) {
      quote = 0;
    }
    if (quote != 0 || !line.substr(i).starts_with(" -")) continue;
    put(line.substr(begin, i - begin));
    begin = i;
  }
  put(line.substr(begin));
  return out;
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

RoffPage::RoffPage(sv title, sv date, sv version, int section) {
  const sv volume = section == 1   ? "User Commands"
                    : section == 3 ? "Library Functions"
                    : section == 5 ? "File Formats"
                                   : "Miscellaneous Information";
  const sv source = section == 1   ? "the catalogue by svc-regen; edit lib/catalogue instead"
                    : section == 3 ? "lib/svc by svc-regen; edit the headers instead"
                                   : "cli/docgen by svc-regen; edit that instead";
  m_source = fmt::format(".\\\" Generated from {}.\n", source);
  m_source += fmt::format(".TH \"{}\" {} \"{}\" \"svc {}\" \"{}\"\n", roff_text(title), section,
                          date, version, volume);
  // Flag names are long, so lines are neither justified nor hyphenated.
  m_source += ".ad l\n.nh\n";
}

void RoffPage::name(sv name, sv what) {
  text(fmt::format("{} - {}", name, what));
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
  const sv gap = value.starts_with("[=") ? "" : " ";
  if (!value.empty()) m_source += fmt::format("{}\\fI{}\\fR", gap, roff_text(value));
  m_source += '\n';
  m_fresh = false;
  text(plain);
}

void RoffPage::command(sv line) {
  separate();
  m_source += ".RS 4\n.nf\n";
  for (const sv one : split(line, '\n')) m_source += roff_text(one) + "\n";
  m_source += ".fi\n.RE\n";
}

void RoffPage::example(sv line) {
  command(continued(line));
}

void RoffPage::separate() {
  if (!m_fresh) m_source += ".PP\n";
  m_fresh = false;
}

void RoffPage::text(sv plain) {
  for (const std::string& line : print::wrap(in_bold(roff_text(plain)), k_source_columns)) {
    m_source += (line.starts_with('.') ? "\\&" : "") + line + "\n";
  }
}

}  // namespace svc::docgen
