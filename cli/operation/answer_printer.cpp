#include "operation/answer_printer.h"

#include <algorithm>

#include <fmt/format.h>
#include <unistd.h>

#include "base/counted.h"
#include "base/money.h"
#include "base/text.h"
#include "catalogue/responses_fields.h"
#include "catalogue/tool_fields.h"
#include "operation/results.h"
#include "print/width.h"
#include "terminal/editor/raw_terminal.h"
#include "terminal/pager.h"

namespace svc::cli {
namespace {

using ShownFlags = Flags<catalogue::k_answer_shown_fields>;
using IncludeFlags = Flags<catalogue::responses::k_own_fields>;

std::string indented(std::string_view text) {
  if (text.ends_with('\n')) text.remove_suffix(1);
  return "  " + replace_all(std::string(text), "\n", "\n  ") + "\n";
}

/// Returns the cursor's column after printing `shown`, starting at `column`.
std::size_t column_after(std::size_t column, std::string_view shown, int columns) {
  const std::size_t line = shown.rfind('\n');
  if (line != std::string_view::npos) {
    shown.remove_prefix(line + 1);
    column = 0;
  }
  if (column == print::k_unknown_column || shown.find('\t') != std::string_view::npos) {
    return print::k_unknown_column;
  }
  const std::size_t end = column + print::display_width(shown);
  const auto width = static_cast<std::size_t>(columns);
  return end > 0 && end % width == 0 ? print::k_unknown_column : end % width;
}

/// Returns the rows of a terminal on which text can be redrawn; 0 for any other stream. Who turns
/// color off may use a screen reader or a recording, where redrawn text appears again.
std::size_t screen_rows(const print::Terminal& terminal, int fd) {
  return terminal.is_tty && !terminal.plain ? RawTerminal(fd).size().lines : 0;
}

}  // namespace

bool renders(Session& session) {
  if (const auto asked = ShownFlags(session.inputs()).get<"render">()) return *asked;
  const print::Terminal& terminal = session.out().terminal();
  return terminal.is_tty && (!terminal.dumb || terminal.screen_reader) &&
         session.settings().render.value != "false";
}

Result<void> show_document(Session& session, const std::string& markdown) {
  print::Out& out = session.out();
  if (!renders(session) && !out.terminal().is_tty) return session.write_foreign(markdown);
  std::string shown;
  if (renders(session)) {
    print::MarkdownStream stream(out.terminal());
    shown = stream.feed(markdown);
    shown += stream.finish();
  } else {
    shown = visible(markdown);
  }
  return show_paged(out, shown, session.environment(), session.cancel_token());
}

std::optional<ReasoningView> parse_reasoning_view(std::string_view text) noexcept {
  if (text == "full") return ReasoningView::Full;
  if (text == "fold") return ReasoningView::Fold;
  if (text == "none") return ReasoningView::None;
  return std::nullopt;
}

ReasoningView reasoning_view(Session& session) {
  const std::string asked = ShownFlags(session.inputs()).text<"reasoning">();
  return parse_reasoning_view(asked.empty() ? session.settings().reasoning.value : asked)
      .value_or(ReasoningView::Full);
}

/// Tool output appears only because --include or --verbose requested it.
AnswerPrinter::AnswerPrinter(Session& session, print::Flow::Measure columns)
    : m_session(session),
      m_tool_outputs(wants_details(session) || IncludeFlags(session.inputs()).has<"include">()),
      m_aside(session.err().terminal(), columns,
              screen_rows(session.err().terminal(), STDERR_FILENO),
              session.err().terminal().color ? print::k_look_dim : print::k_look_plain),
      m_reasoning(reasoning_view(session)) {
  const print::Terminal& out = session.out().terminal();
  if (renders(session)) {
    m_markdown.emplace(out, std::move(columns), screen_rows(out, STDOUT_FILENO));
  }
}

AnswerPrinter::~AnswerPrinter() {
  rest();
  m_session.notices().release_details();
}

void AnswerPrinter::begin(std::int64_t choices) {
  m_several = choices > 1;
  m_waits = true;
  m_begin = std::chrono::steady_clock::now();
  m_received = 0;
  m_session.progress().print_below([this] { return open_column(); });
}

/// Call when no more output is expected.
void AnswerPrinter::rest() {
  if (!std::exchange(m_waits, false)) return;
  m_session.progress().finish();
  m_session.progress().print_below({});
}

/// "about 120 tokens, $0.0042 so far". The service counts tokens only at the end; most have about
/// four bytes.
std::string AnswerPrinter::so_far() const {
  constexpr std::size_t k_token = 4;
  std::string text = "about " + counted((m_received + k_token - 1) / k_token, "token", "tokens");
  if (m_spent.cost_ticks) text += fmt::format(", {} so far", format_cost(*m_spent.cost_ticks));
  return text;
}

/// Starts the status line of a running answer.
void AnswerPrinter::report_status(std::string_view label) {
  m_session.progress().start(label);
  m_session.progress().part_of(m_begin);
  m_session.progress().aside(so_far());
}

/// Call before showing output where the progress line may be.
void AnswerPrinter::arrived() {
  m_arrived = true;
  m_session.progress().clear();
  if (m_session.err().terminal().is_tty) m_session.notices().hold_details();
}

std::size_t AnswerPrinter::open_column() const {
  if (m_aside_open) return m_aside.column();
  if (!m_session.out().terminal().is_tty) return 0;
  return m_markdown ? m_markdown->column() : m_column;
}

void AnswerPrinter::text(std::string_view bytes) {
  if (bytes.empty()) return;
  end_aside();
  m_any_text = true;
  m_line_open = bytes.back() != '\n';
  if (m_markdown) put(m_markdown->finish());
  if (m_session.out().terminal().is_tty) {
    put(m_visible.feed(bytes));
  } else {
    put(bytes);
  }
}

/// Shows the answer's text, which may be Markdown.
void AnswerPrinter::answer_text(std::string_view bytes) {
  if (!m_markdown || bytes.empty()) return text(bytes);
  end_aside();
  m_any_text = true;
  put(m_markdown->feed(bytes));
}

void AnswerPrinter::put(std::string_view shown) {
  if (shown.empty()) return;
  arrived();
  if (!m_markdown && m_session.out().terminal().is_tty) {
    m_column = column_after(m_column, shown, m_session.out().terminal().columns);
  }
  const Result<void> written = m_session.out().write(shown);
  if (m_state && !written) m_state = written.error();
}

void AnswerPrinter::aside(std::string_view bytes) {
  if (bytes.empty() || m_session.globals().quiet) return;
  print::Out& err = m_session.err();
  arrived();
  // A failure of standard error cannot be reported.
  (void)err.write(err.terminal().is_tty ? m_aside.feed(bytes) : m_visible_aside.feed(bytes));
  (void)err.flush();
  m_aside_open = bytes.back() != '\n';
}

void AnswerPrinter::end_aside() {
  end_reasoning();
  if (!m_aside_open) return;
  arrived();
  m_aside_open = false;
  const bool wraps = m_session.err().terminal().is_tty;
  (void)m_session.err().write(wraps ? m_aside.finish() : m_visible_aside.finish() + "\n");
  (void)m_session.err().flush();
}

/// Shows reasoning, or that the model is thinking.
void AnswerPrinter::reason(std::string_view bytes) {
  if (m_reasoning == ReasoningView::Full) return aside(bytes);
  if (m_reasoning == ReasoningView::None || m_thinks_since || bytes.empty()) return;
  m_thinks_since = std::chrono::steady_clock::now();
  if (m_waits) report_status("thinking");
}

void AnswerPrinter::end_reasoning() {
  if (!m_thinks_since) return;
  const auto took = std::chrono::duration_cast<std::chrono::seconds>(
      std::chrono::steady_clock::now() - *std::exchange(m_thinks_since, std::nullopt));
  aside(took.count() > 0 ? fmt::format("thought for {}\n", format_duration(took)) : "thought\n");
}

void AnswerPrinter::end_line() {
  if (m_markdown) put(m_markdown->finish());
  print::Out& out = m_session.out();
  if (out.terminal().is_tty) {
    if (const Result<void> written = out.write(m_visible.finish()); m_state && !written) {
      m_state = written.error();
    }
  }
  if (m_line_open) text("\n");
  m_line_open = false;
}

void AnswerPrinter::tool_line(std::string_view line) {
  end_aside();
  aside(fmt::format("[{}]\n", replace_all(std::string(line), "\n", " ")));
}

void AnswerPrinter::show(const Delta& delta) {
  const bool said = delta.kind != DeltaKind::Tool && delta.kind != DeltaKind::ToolOutput;
  if (said) m_received += delta.text.size();
  switch (delta.kind) {
    case DeltaKind::Text:
    case DeltaKind::Refusal:
      if (delta.choice != 0) break;
      if (m_several && !m_any_text) mark(0);
      answer_text(delta.text);
      break;
    case DeltaKind::Reasoning:
      if (delta.choice != 0) break;
      if (m_markdown && m_any_text && m_reasoning != ReasoningView::None) end_line();
      reason(delta.text);
      break;
    case DeltaKind::Tool:
      if (m_markdown) end_line();
      tool_line(delta.text);
      break;
    case DeltaKind::ToolOutput:
      if (m_tool_outputs) aside(indented(delta.text));
      break;
  }
}

Result<void> AnswerPrinter::flush() {
  if (!m_state) return m_state;
  SVC_CHECK(m_session.out().flush());
  if (m_thinks_since && m_waits) m_session.progress().aside(so_far());
  if (!m_waits || !std::exchange(m_arrived, false)) return {};
  print::Progress& progress = m_session.progress();
  if (!m_session.out().terminal().is_tty && m_any_text) {
    progress.finish();  // the reader of the pipe may write to this terminal too
  } else {
    report_status("waiting for more of the answer");
  }
  progress.tick();  // redraw the user's typed input at once
  return {};
}

void AnswerPrinter::choice(const Answer& answer, std::size_t index) {
  const Choice& from = answer.choices[index];
  if (index > 0 || !m_any_text) {
    if (m_several) mark(index);
    answer_text(from.text);
    answer_text(from.refusal);
    end_line();
  }
  for (const ToolCall& call : from.tool_calls) {
    if (!call.runs_on_service) {
      text(fmt::format("{} {}\n", call.name, call.arguments));
    } else if (!call.arguments.empty()) {
      tool_line(
          fmt::format("{} {}", call.name, call.arguments));  // from chat, which has no event for it
    }
  }
}

void AnswerPrinter::beside(const Answer& answer) {
  print::Notices& notices = m_session.notices();
  // Numbered as in the text; a source that it does not cite by number follows.
  print::Citations cited = m_markdown ? m_markdown->citations() : print::Citations();
  for (const std::string& url : answer.citations) {
    const bool listed =
        std::any_of(cited.begin(), cited.end(), [&](const auto& one) { return one.second == url; });
    if (!listed) cited.emplace_back(std::to_string(cited.size() + 1), url);
  }
  for (const auto& [number, url] : cited) notices.aside(fmt::format("[{}] {}", number, url));
  for (const std::string& file : answer.output_files) notices.aside(fmt::format("file {}", file));
}

void AnswerPrinter::mark(std::size_t index) {
  text(fmt::format("--- choice {} ---\n", index + 1));
}

Result<void> AnswerPrinter::pause(const Answer& answer) {
  rest();
  if (answer.usage) m_spent.add(*answer.usage);
  if (!m_any_text && !answer.choices.empty()) text(answer.choices.front().text);
  end_line();
  SVC_CHECK(flush());
  end_aside();
  m_session.notices().release_details();
  m_any_text = false;
  return {};
}

Result<void> AnswerPrinter::finish(const Answer& answer) {
  rest();
  end_line();
  m_several = m_several || answer.choices.size() > 1;
  for (std::size_t i = 0; i < answer.choices.size(); ++i) choice(answer, i);
  end_line();
  SVC_CHECK(flush());
  end_aside();
  m_session.notices().release_details();
  beside(answer);
  return {};
}

void AnswerPrinter::interrupted() {
  rest();
  end_line();
  end_aside();
  (void)flush();
  m_session.notices().release_details();
}

}  // namespace svc::cli
