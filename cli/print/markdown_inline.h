// Text with inline Markdown markup, on its way into a Flow.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "print/flow.h"

namespace svc::print {

/// Sources cited in the text as `[[1]](URL)`: the number and the URL, each number once.
using Citations = std::vector<std::pair<std::string, std::string>>;

/// Takes the text of one block as it arrives. Text passes on to the flow once nothing that follows
/// can change its look; preview() shows the rest as it will look if every open mark is closed.
/// Emphasis, code spans, links and formulas are text if they are longer than `limit` characters,
/// so that the rest always fits on the screen. Formulas (`\( \)`, `\[ \]`, `$ $`, `$$ $$`) are
/// passed on unchanged. Without color, the marks remain in the text; on a plain terminal, whose
/// text is never redrawn, all of the source passes on at once, but for the URLs of citations. For a
/// screen reader there are no marks, and a span waits for its end.
class InlineText {
 public:
  /// Sets the look of all following text: that of a heading.
  void base_look(unsigned look) { m_base = look; }

  /// Sets the maximum length of a span.
  void limit(std::size_t limit) { m_limit = limit; }

  /// Takes the next chunk, already safe for a terminal. A newline ends the line.
  void feed(Flow& flow, sv piece);

  /// Ends the block: outputs the buffer. Does not end the line.
  void finish(Flow& flow);

  /// Outputs the buffer to a copy of the flow; marks that are still incomplete are left out.
  void preview(Flow& flow) const;

  /// On a plain terminal: outputs the buffer, unless it may be a citation, or for a screen reader
  /// an open span.
  void commit(Flow& flow);

  /// Whether a formula is open that may continue on the next line.
  [[nodiscard]] bool in_formula(Flow& flow);

  [[nodiscard]] const Citations& citations() const noexcept { return m_citations; }

 private:
  void advance(Flow& flow, bool at_blank);
  void settle_formula(Flow& flow);
  void feed_plain(Flow& flow, char c);
  void show(Flow& flow, std::size_t size);
  void literal(Flow& flow, char c);

  unsigned m_base = 0;
  std::size_t m_limit = 880;
  std::string m_held{};
  char m_before = ' ';      ///< the character before the buffer
  bool m_marked = false;    ///< the buffer may contain markup
  bool m_changed = false;   ///< a mark arrived since the buffer was last examined
  std::size_t m_next = 0;   ///< size at which to examine it, whatever arrives
  std::string m_literal{};  ///< end of a formula that is too long to buffer
  Citations m_citations{};
};

/// Passes `source`, one line of safe text with inline markup, to the flow at once.
void inline_markup(Flow& flow, sv source, unsigned base_look);

/// Returns the character of an entity ("&amp;", "&#x1F600;"), safe for a terminal; an unknown
/// entity is returned unchanged.
[[nodiscard]] std::string entity_text(sv entity);

}  // namespace svc::print
