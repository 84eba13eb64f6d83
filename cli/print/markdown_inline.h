// Text with Markdown's inline markup, on its way into a Flow.
#pragma once

#include <string>
#include <vector>

#include "print/flow.h"

namespace svc::print {

/// Takes the text of one block as it arrives and hands it on at each blank at which no markup is
/// open, so that words show at once and a span when it is whole. What markup means is md4c's
/// (loaded when it is first needed; without it the text shows as it was written); this only finds
/// the places to cut, and bounds what is held: an opening mark that nothing closes is text after
/// half a kilobyte. Without colour the marks themselves stay in the text.
class InlineText {
 public:
  explicit InlineText(Flow& flow) : m_flow(flow) {}
  InlineText(const InlineText&) = delete;
  InlineText& operator=(const InlineText&) = delete;

  /// The look of everything from here on: that of a heading.
  void base_look(unsigned look) { m_base = look; }

  /// The next piece, safe for a terminal. A newline ends the line.
  void feed(sv piece);

  /// The block has ended: gives out what is held. Does not end the line.
  void finish();

 private:
  struct Opened {
    char mark;
    std::size_t count;
  };

  void take(char c);
  void end_run(char next);
  void marks(char next);
  void close_marks(char mark, std::size_t& count);
  void brackets(char c);
  [[nodiscard]] bool idle() const noexcept;
  void give_out();

  Flow& m_flow;
  unsigned m_base = 0;
  std::string m_held{};
  bool m_marked = false;  ///< something in it may be markup
  bool m_escaped = false;
  char m_run = 0;  ///< the mark of the run that is under way
  std::size_t m_run_length = 0;
  char m_before_run = ' ';
  char m_last = ' ';
  unsigned char m_lead = 0;  ///< the first byte of the last code point
  std::size_t m_code = 0;    ///< backticks that opened a code span
  std::size_t m_brackets = 0;
  std::size_t m_parens = 0;  ///< of a link's address
  bool m_label_ended = false;
  std::vector<Opened> m_opened{};
};

/// Gives `source`, one line of safe text with inline markup, to the flow at once.
void inline_markup(Flow& flow, sv source, unsigned base_look);

/// What an entity ("&amp;", "&#x1F600;") stands for, safe for a terminal; the entity itself when it
/// is none that is known.
[[nodiscard]] std::string entity_text(sv entity);

}  // namespace svc::print
