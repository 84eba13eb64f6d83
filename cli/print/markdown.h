// Streaming Markdown on a terminal.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/visible.h"
#include "print/code_colors.h"
#include "print/flow.h"
#include "print/live_tail.h"
#include "print/markdown_inline.h"
#include "print/markdown_line.h"
#include "print/markdown_table.h"

namespace svc::print {

/// Shows a model's Markdown as it arrives. Blocks are detected line by line, because a document
/// parser could start only after the answer has ended. Differences from CommonMark, for the sake of
/// streaming and of what models write: a newline in a paragraph remains a newline, lists may be
/// indented by two columns, a heading underlined by `===` is text above a rule, and formulas are
/// not changed.
///
/// What nothing that follows can change is written once, and only appended. On a terminal whose
/// rows are known, the text that is still undecided (an open span, a partial word or code line, a
/// table) follows it as it will probably look, and is redrawn where it turns out otherwise: all of
/// it always fits on the screen. The final screen depends neither on how the input was split nor on
/// its pace. On a plain terminal nothing is redrawn either, and nothing waits but marks: inline
/// markup is shown as it is, tables become "column: value" lines, and there are no boxes. Elsewhere
/// only final text is written.
///
/// The input is escaped first: only our own escape sequences are written; looks only with
/// Terminal::color. Without color, the marks of emphasis, code and headings remain in the text.
/// Time is linear in the input and memory is bounded.
class MarkdownStream {
 public:
  /// `columns` is called at the start of every line. Empty: the terminal's width at the start.
  /// `rows` of the screen; 0: what was written cannot be redrawn.
  explicit MarkdownStream(Terminal terminal, Flow::Measure columns = {}, std::size_t rows = 0);
  MarkdownStream& operator=(const MarkdownStream&) = delete;

  /// Takes the next chunk; returns the output.
  [[nodiscard]] std::string feed(sv piece);

  /// Returns the cursor's column after the output; 0 at the start of a line.
  [[nodiscard]] std::size_t column() const noexcept {
    return m_flow.rows() > 0 ? m_tail.column() : m_flow.column();
  }

  /// Returns the sources cited so far.
  [[nodiscard]] const Citations& citations() const noexcept { return m_inline.citations(); }

  /// Ends the text: returns the buffered rest, and a newline after an open line. The stream can be
  /// reused.
  [[nodiscard]] std::string finish();

 private:
  struct Item {
    std::size_t indent;   ///< columns before its mark, in the source
    std::size_t content;  ///< columns before its content
    std::size_t quotes;   ///< quotes around it
    std::string mark;     ///< as displayed
    bool numbered;
  };
  enum class RowGuess : std::uint8_t { No, Wait, Yes };
  struct Code {
    std::string mark;  ///< mark that opened it
    std::size_t indent;
    std::size_t quotes;
    CodeColors colors;
    bool partial = false;  ///< the start of a long line is already written
  };

  MarkdownStream(const MarkdownStream&) = default;
  [[nodiscard]] std::string write(const std::string& tail);
  void commit();
  [[nodiscard]] std::string preview();
  void preview_line(Flow& flow);
  [[nodiscard]] sv unquoted_code() const;
  [[nodiscard]] bool is_undecided() const;
  [[nodiscard]] std::size_t max_span() const;
  [[nodiscard]] std::size_t max_table() const;
  void feed(char c);
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

  Flow m_flow;
  InlineText m_inline;
  VisibleStream m_visible{};
  std::string m_line{};    ///< the part of the line whose meaning is undecided, or all of it
  bool m_flowing = false;  ///< the line's text passes to m_inline as it arrives
  bool m_heading = false;
  bool m_paragraph = false;  ///< text may continue on the next line
  bool m_fresh = false;      ///< the line started an item
  bool m_gap = false;        ///< blank lines precede
  bool m_any = false;        ///< something was shown
  std::size_t m_quotes = 0;
  std::size_t m_line_quotes = 0;
  std::vector<Item> m_items{};
  std::optional<Code> m_code{};
  std::optional<MarkdownTable> m_table{};
  std::optional<std::string> m_row{};  ///< may be a table's header
  bool m_bare_row = false;             ///< the line may be a row without outer bars
  LiveTail m_tail{};
  std::size_t m_words = 0;  ///< complete in the last preview
};

}  // namespace svc::print
