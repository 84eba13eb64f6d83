// Text with Markdown's inline markup, on its way into a Flow.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "print/flow.h"

namespace svc::print {

using Clock = std::function<std::chrono::steady_clock::time_point()>;

/// With the turn of an exchange that wakes every 50 ms, nothing waits for more than 200 ms.
constexpr std::chrono::milliseconds k_longest_hold{140};

/// Takes the text of one block as it arrives and hands it on at each blank at which no markup is
/// open, so that words show at once and a span when it is whole. What markup means is md4c's
/// (loaded when it is first needed; without it the text shows as it was written); this only finds
/// the places to cut, and bounds what is held: a bracket or backtick that nothing closes is text
/// after 80 characters, a mark of emphasis after 240, and all of them when release() finds that
/// nothing came for too long. Formulas (`\( \)`, `\[ \]`, `$ $`, `$$ $$`) are handed on as they
/// are. Without colour the marks themselves stay in the text.
class InlineText {
 public:
  InlineText(Flow& flow, const Clock& clock) : m_flow(flow), m_clock(clock) {}
  InlineText(const InlineText&) = delete;
  InlineText& operator=(const InlineText&) = delete;

  /// The look of everything from here on: that of a heading.
  void base_look(unsigned look) { m_base = look; }

  /// The next piece, safe for a terminal. A newline ends the line.
  void feed(sv piece);

  /// The block has ended: gives out what is held. Does not end the line.
  void finish();

  /// Gives out what is held for too long; of a word that is not complete only after a second.
  void release();

  /// Whether a formula is open that may continue in the next line.
  [[nodiscard]] bool in_formula() const noexcept {
    return m_dollars == 2 || (!m_formula.empty() && m_formula != "$");
  }

 private:
  struct Opened {
    char mark;
    std::size_t count;
  };
  /// Something that is waited for: since when, and for how many characters.
  struct Hold {
    bool open = false;
    std::size_t at = 0;  ///< in m_held
    std::size_t characters = 0;
    std::chrono::steady_clock::time_point since{};
  };

  void take(char c);
  void markup(char c);
  void formula(char c);
  void begin_formula(sv end);
  void end_literal();
  void raw_code(char c);
  void begin_hold(Hold& hold, bool wanted);
  [[nodiscard]] bool held_too_long() const noexcept;
  void give_up();
  void end_run(char next);
  void marks(char next);
  void close_marks(char mark, std::size_t& count);
  void brackets(char c);
  [[nodiscard]] bool waits_inside() const noexcept;
  [[nodiscard]] bool idle() const noexcept;
  void give_out();
  void show(std::string text, bool marked);

  Flow& m_flow;
  const Clock& m_clock;
  unsigned m_base = 0;
  std::string m_held{};
  std::chrono::steady_clock::time_point m_fed{};
  Hold m_emphasis{};      ///< a mark of emphasis, or anything else, is open
  Hold m_inner{};         ///< a code span, link or formula is open
  bool m_marked = false;  ///< something in it may be markup
  bool m_escaped = false;
  char m_run = 0;  ///< the mark of the run that is under way
  std::size_t m_run_length = 0;
  char m_before_run = ' ';
  char m_last = ' ';
  unsigned char m_lead = 0;  ///< the first byte of the last code point
  std::size_t m_code = 0;    ///< backticks that opened a code span
  std::size_t m_brackets = 0;
  std::size_t m_parens = 0;   ///< of a link's address
  bool m_may_be_url = false;  ///< what stands in them so far
  bool m_label_ended = false;
  std::vector<Opened> m_opened{};
  std::size_t m_dollars = 0;   ///< in a row
  std::string m_formula{};     ///< what ends the formula that is open
  std::size_t m_raw_code = 0;  ///< backticks that end code which shows as it was written
  bool m_literal = false;      ///< what comes is not markup: the rest of a formula or of such code
};

/// Gives `source`, one line of safe text with inline markup, to the flow at once.
void inline_markup(Flow& flow, sv source, unsigned base_look);

/// `source` with every formula, `\\` and `\{` escaped, so that Markdown leaves them as they are.
[[nodiscard]] std::string keep_formulas(sv source);

/// What an entity ("&amp;", "&#x1F600;") stands for, safe for a terminal; the entity itself when it
/// is none that is known.
[[nodiscard]] std::string entity_text(sv entity);

}  // namespace svc::print
