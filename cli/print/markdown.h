// Markdown on a terminal while it streams.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/visible.h"
#include "print/code_colors.h"
#include "print/flow.h"
#include "print/markdown_inline.h"
#include "print/markdown_line.h"
#include "print/markdown_table.h"

namespace svc::print {

/// Shows a model's Markdown as it arrives. Nothing that was given out is ever redrawn, so nothing
/// flickers, and a window that changes its size spoils nothing: a word shows when it is whole, a
/// span (`**bold**`, a link) when it is closed, a line of code at its end, a table when it is
/// complete. Blocks are told apart line by line, because a parser of whole documents could only
/// begin when the answer is over; md4c reads what stands in the lines. Differences from CommonMark,
/// for the sake of streaming and of what models write: a newline in a paragraph stays a newline,
/// lists may be indented by two columns, a heading underlined by `===` is text above a rule, and
/// formulas stay as they were written. What may become something else is not waited for without
/// end: see release().
///
/// The text is made harmless first: no escape sequence but our own leaves here, and those only with
/// Terminal::color. Without it the marks of emphasis, code and headings stay in the text. Work is
/// linear in the input and memory bounded, whatever the input is. The output does not depend on how
/// the input was cut.
class MarkdownStream {
 public:
  /// `columns` is asked at the begin of every line. Empty: the terminal's at the start. `clock`
  /// tells how long something is held back.
  explicit MarkdownStream(Terminal terminal, Flow::Measure columns = {},
                          Clock clock = std::chrono::steady_clock::now);
  MarkdownStream(const MarkdownStream&) = delete;
  MarkdownStream& operator=(const MarkdownStream&) = delete;

  /// The next piece; gives what is to be written.
  [[nodiscard]] std::string feed(sv piece);

  /// Time went by without text: gives what has been held back for too long, which then is plain
  /// text whatever follows.
  [[nodiscard]] std::string release();

  /// The column of the cursor behind what was given out; 0 at the begin of a line.
  [[nodiscard]] std::size_t column() const noexcept { return m_flow.column(); }

  /// Whether a table is under way, of which nothing shows before it is complete.
  [[nodiscard]] bool holds_table() const noexcept { return m_table.has_value(); }

  /// The text has ended: what was held back, and a newline after an open line. The stream may be
  /// used anew.
  [[nodiscard]] std::string finish();

 private:
  struct Item {
    std::size_t indent;   ///< columns before its mark, in the source
    std::size_t content;  ///< columns before what it holds
    std::size_t width;    ///< columns of the mark on the screen
    std::size_t quotes;   ///< that hold it
    std::string mark;     ///< as it is shown
    bool numbered;
  };
  enum class RowGuess : std::uint8_t { No, Wait, Yes };
  struct Code {
    std::string mark;  ///< that opened it
    std::size_t indent;
    std::size_t quotes;
    CodeColors colors;
    bool partial = false;  ///< the begin of a long line is out already
  };

  void take(char c);
  void end_line();
  void begin_line(bool whole);
  [[nodiscard]] bool act(const LineStart& start, bool whole);
  void quote(const LineStart& start);
  void settle_quotes();
  [[nodiscard]] RowGuess guess_row(const LineStart& start, bool whole);
  [[nodiscard]] RowGuess guess_below_header(sv rest, bool whole) const;
  [[nodiscard]] std::size_t item_content() const;
  void end_table();
  void blank();
  void heading(const LineStart& start);
  void rule();
  void open_fence(const LineStart& start);
  void code_line();
  void code_piece();
  [[nodiscard]] bool begin_item(const LineStart& start);
  [[nodiscard]] bool text(const LineStart& start, bool whole);
  [[nodiscard]] bool task_box(sv rest);
  void row(const LineStart& start);
  void flush_row();
  void close_text();
  void begin_block();
  void flow_text(sv rest);
  void leave_items(std::size_t indent);
  void set_indent(sv mark = {});
  [[nodiscard]] std::string prefix(sv mark, bool quotes_only = false) const;
  [[nodiscard]] std::string bars(std::size_t count) const;

  Clock m_clock;
  Flow m_flow;
  InlineText m_inline;
  VisibleStream m_visible{};
  std::string m_line{};    ///< of which it is not known yet what it is, or all of it
  bool m_flowing = false;  ///< the line's text goes on to m_inline as it comes
  bool m_heading = false;
  bool m_paragraph = false;  ///< text may continue in the next line
  bool m_fresh = false;      ///< the line began an item
  bool m_gap = false;        ///< blank lines stood before
  bool m_any = false;        ///< something was shown
  std::size_t m_quotes = 0;
  std::size_t m_line_quotes = 0;
  std::vector<Item> m_items{};
  std::optional<Code> m_code{};
  std::optional<MarkdownTable> m_table{};
  std::optional<std::string> m_row{};  ///< may be a table's header
  bool m_bare_row = false;             ///< the line may be a row without bars at its ends
  bool m_no_row = false;               ///< the line was waited for long enough: it is text
  Clock::result_type m_since{};        ///< the line is waited for
};

}  // namespace svc::print
