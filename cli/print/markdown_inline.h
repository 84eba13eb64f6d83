// Text with inline Markdown markup, on its way into a Flow.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "print/flow.h"

namespace svc::print {

using Clock = std::function<std::chrono::steady_clock::time_point()>;

/// Together with the 50 ms interval of the event loop, no text is held for more than 200 ms.
constexpr std::chrono::milliseconds k_max_hold{140};

/// Takes the text of one block as it arrives and passes it on at each space at which no markup is
/// open, so that words appear at once and spans when complete. md4c interprets the markup (loaded
/// on first use; without it the text is shown unchanged); this class only finds the positions to
/// split at, and bounds the buffer: an unclosed bracket or backtick is text after 80 characters, an
/// emphasis mark after 240, and all of them when release() finds that no input came for too long.
/// Formulas (`\( \)`, `\[ \]`, `$ $`, `$$ $$`) are passed on unchanged. Without color, the marks
/// remain in the text.
class InlineText {
 public:
  InlineText(Flow& flow, const Clock& clock) : m_flow(flow), m_clock(clock) {}
  InlineText(const InlineText&) = delete;
  InlineText& operator=(const InlineText&) = delete;

  /// Sets the look of all following text: that of a heading.
  void base_look(unsigned look) { m_base = look; }

  /// Takes the next chunk, already safe for a terminal. A newline ends the line.
  void feed(sv piece);

  /// Ends the block: outputs the buffer. Does not end the line.
  void finish();

  /// Outputs text that was buffered too long; an incomplete word only after a second.
  void release();

  /// Whether a formula is open that may continue on the next line.
  [[nodiscard]] bool in_formula() const noexcept {
    return m_dollars == 2 || (!m_formula.empty() && m_formula != "$");
  }

 private:
  struct Opened {
    char mark;
    std::size_t count;
  };
  /// An open mark: since when, and for how many characters.
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
  Hold m_emphasis{};      ///< an emphasis mark, or anything else, is open
  Hold m_inner{};         ///< a code span, link or formula is open
  bool m_marked = false;  ///< the buffer may contain markup
  bool m_escaped = false;
  char m_run = 0;  ///< mark of the current run
  std::size_t m_run_length = 0;
  char m_before_run = ' ';
  char m_last = ' ';
  unsigned char m_lead = 0;  ///< first byte of the last code point
  std::size_t m_code = 0;    ///< backticks that opened a code span
  std::size_t m_brackets = 0;
  std::size_t m_parens = 0;   ///< of a link's URL
  bool m_may_be_url = false;  ///< content of the parentheses so far
  bool m_label_ended = false;
  std::vector<Opened> m_opened{};
  std::size_t m_dollars = 0;   ///< in a row
  std::string m_formula{};     ///< end of the open formula
  std::size_t m_raw_code = 0;  ///< backticks that end code shown unchanged
  bool m_literal = false;      ///< the input is not markup: the rest of a formula or of such code
};

/// Passes `source`, one line of safe text with inline markup, to the flow at once.
void inline_markup(Flow& flow, sv source, unsigned base_look);

/// Returns `source` with every formula, `\\` and `\{` escaped, so that Markdown leaves them
/// unchanged.
[[nodiscard]] std::string keep_formulas(sv source);

/// Returns the character of an entity ("&amp;", "&#x1F600;"), safe for a terminal; an unknown
/// entity is returned unchanged.
[[nodiscard]] std::string entity_text(sv entity);

}  // namespace svc::print
