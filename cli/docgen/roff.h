// Manual pages as man(7) source.
#pragma once

#include <string>
#include <string_view>

#include "catalogue/model.h"

namespace svc::docgen {

/// Escapes `text` so that roff prints it literally: backslashes, hyphens (as the ASCII character),
/// quotes and accents are escaped, non-ASCII characters become \[uXXXX], and a leading dot does not
/// start a control line.
[[nodiscard]] std::string roff_text(sv text);

/// Builds a page. Callers pass plain text; the page escapes it.
class RoffPage {
 public:
  /// Writes the title line; `title` in capitals, `date` as YYYY-MM-DD. Sections: 1 commands, 3
  /// libraries, 5 files, 7 everything else.
  RoffPage(sv title, sv date, sv version, int section = 1);

  /// The line of the NAME section, in the format of whatis(1).
  void name(sv name, sv what);
  void section(sv title);
  void subsection(sv title);
  void paragraph(sv text);
  /// A term in bold, followed by `value` in italics and a description.
  void entry(sv term, sv value, sv text);
  /// Lines to be typed, indented and verbatim.
  void command(sv line);
  /// A shell command line, continued on more lines if it is too long.
  void example(sv line);

  [[nodiscard]] std::string take() { return std::move(m_source); }

 private:
  void text(sv plain);
  void separate();

  std::string m_source{};
  bool m_fresh = true;  ///< just below a heading, where no paragraph macro is needed
};

}  // namespace svc::docgen
