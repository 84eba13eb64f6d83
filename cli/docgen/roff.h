// Manual pages as man(7) source.
#pragma once

#include <string>
#include <string_view>

#include "catalogue/model.h"

namespace svc::docgen {

/// `text` so that roff prints exactly it: backslashes, hyphens (as the ASCII character), quotes and
/// accents escaped, other characters than ASCII as \[uXXXX], no control line at its begin.
[[nodiscard]] std::string roff_text(sv text);

/// Builds a page. Every text is given plain and escaped here.
class RoffPage {
 public:
  /// The title line; `title` in capitals, `date` as YYYY-MM-DD. Sections: 1 commands, 5 files, 7
  /// everything else.
  RoffPage(sv title, sv date, sv version, int section = 1);

  /// The line of the NAME section, as whatis(1) wants it.
  void name(sv name, sv what);
  void section(sv title);
  void subsection(sv title);
  void paragraph(sv text);
  /// A term in bold, `value` behind it in italics, and what they mean.
  void entry(sv term, sv value, sv text);
  /// Lines to be typed, indented and not filled.
  void command(sv line);
  /// A command line of the shell, which is cut where it is too long.
  void example(sv line);

  [[nodiscard]] std::string take() { return std::move(m_source); }

 private:
  void text(sv plain);
  void separate();

  std::string m_source{};
  bool m_fresh = true;  ///< just below a heading, where no paragraph is begun
};

}  // namespace svc::docgen
