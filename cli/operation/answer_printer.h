// Prints a model's answer for people: its text on standard output, everything else on standard
// error.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/result.h"
#include "base/visible.h"
#include "client/answer.h"
#include "operation/answer_sink.h"
#include "print/markdown.h"
#include "print/wrapped_text.h"
#include "session/session.h"

namespace svc::cli {

/// Whether to render answers: set by --render, the profile, or because of the terminal.
[[nodiscard]] bool renders(Session& session);

/// Writes a whole document (untrusted), rendered if it is Markdown and renders(); on a terminal
/// through the pager.
[[nodiscard]] Result<void> show_document(Session& session, const std::string& markdown);

/// How much of a model's reasoning is shown: all of it, how long it took, or nothing.
enum class ReasoningView : std::uint8_t { Full, Fold, None };

/// Parses "full", "fold" or "none"; nothing for anything else.
[[nodiscard]] std::optional<ReasoningView> parse_reasoning_view(std::string_view text) noexcept;

/// Set by --reasoning; Full by default.
[[nodiscard]] ReasoningView reasoning_view(Session& session);

/// Renders Markdown on a terminal, or if --render requests it. The first choice's text is shown at
/// once; other choices are shown with a heading in finish(), so that they do not mix. Citations,
/// files, tokens and cost go to standard error.
class AnswerPrinter final : public AnswerSink {
 public:
  /// `columns` returns the line width, and is called at the start of each line; empty: the
  /// terminal's width at the start.
  explicit AnswerPrinter(Session& session, print::Flow::Measure columns = {});
  ~AnswerPrinter() override;

  /// Overrides reasoning_view().
  void show_reasoning(ReasoningView view) { m_reasoning = view; }

  /// The cost of the conversation before this answer, for the status of a running one.
  void spent_before(const Usage& usage) { m_spent = usage; }

  void begin(std::int64_t choices) override;
  void show(const Delta& delta) override;
  [[nodiscard]] Result<void> flush() override;
  [[nodiscard]] Result<void> pause(const Answer& answer) override;
  [[nodiscard]] Result<void> finish(const Answer& answer) override;
  void interrupted() override;

 private:
  void text(std::string_view bytes);
  void answer_text(std::string_view bytes);
  void put(std::string_view shown);
  void aside(std::string_view bytes);
  void reason(std::string_view bytes);
  void end_reasoning();
  void end_aside();
  void tool_line(std::string_view line);
  void end_line();
  void mark(std::size_t index);
  void choice(const Answer& answer, std::size_t index);
  void beside(const Answer& answer);
  void arrived();
  [[nodiscard]] std::string so_far() const;
  void report_status(std::string_view label);
  void rest();
  [[nodiscard]] std::size_t open_column() const;

  Session& m_session;
  bool m_tool_outputs;
  bool m_several = false;
  std::optional<print::MarkdownStream> m_markdown{};
  VisibleStream m_visible{};
  VisibleStream m_visible_aside{};
  print::WrappedText m_aside;
  ReasoningView m_reasoning;
  std::optional<std::chrono::steady_clock::time_point> m_thinks_since{};
  std::chrono::steady_clock::time_point m_begin{};  ///< of the request
  std::size_t m_received = 0;                       ///< bytes of the answer, with its reasoning
  Usage m_spent{};                                  ///< reported before this answer
  Result<void> m_state{};
  bool m_any_text = false;
  bool m_line_open = false;
  bool m_aside_open = false;
  bool m_waits = false;      ///< more of the answer is expected
  bool m_arrived = false;    ///< something was shown since the last flush
  std::size_t m_column = 0;  ///< of plain text
};

}  // namespace svc::cli
