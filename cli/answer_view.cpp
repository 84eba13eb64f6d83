#include "answer_view.h"

#include <fmt/format.h>

#include "base/money.h"
#include "base/text.h"

namespace svc::cli {

std::string usage_line(const Usage& usage) {
  std::string line = fmt::format("{} tokens in", usage.input_tokens);
  if (usage.cached_tokens > 0) line += fmt::format(" ({} cached)", usage.cached_tokens);
  line += fmt::format(", {} out", usage.output_tokens);
  if (usage.reasoning_tokens > 0) line += fmt::format(" ({} reasoning)", usage.reasoning_tokens);
  if (usage.sources > 0) line += fmt::format(", {} sources", usage.sources);
  if (usage.cost_ticks) line += fmt::format(", {}", format_ticks(*usage.cost_ticks));
  return line;
}

void AnswerView::text(std::string_view bytes) {
  if (bytes.empty()) return;
  end_aside();
  m_any_text = true;
  m_line_open = bytes.back() != '\n';
  print::Out& out = m_session.out();
  const Result<void> written =
      out.terminal().is_tty ? out.write(m_visible.feed(bytes)) : out.write(bytes);
  if (m_state && !written) m_state = written.error();
}

void AnswerView::aside(std::string_view bytes) {
  if (bytes.empty() || m_session.globals().quiet) return;
  print::Out& err = m_session.err();
  m_session.progress().clear();
  const bool color = err.terminal().color;
  std::string shown = m_visible_aside.feed(bytes);
  if (color) shown = fmt::format("\x1b[2m{}\x1b[0m", shown);
  // Nobody is left to tell when standard error fails.
  (void)err.write(shown);
  (void)err.flush();
  m_aside_open = bytes.back() != '\n';
}

void AnswerView::end_aside() {
  if (!m_aside_open) return;
  m_aside_open = false;
  (void)m_session.err().write(m_visible_aside.finish() + "\n");
  (void)m_session.err().flush();
}

void AnswerView::end_line() {
  print::Out& out = m_session.out();
  if (out.terminal().is_tty) {
    if (const Result<void> written = out.write(m_visible.finish()); m_state && !written) {
      m_state = written.error();
    }
  }
  if (m_line_open) text("\n");
  m_line_open = false;
}

void AnswerView::show(const Delta& delta) {
  switch (delta.piece) {
    case Piece::Text:
    case Piece::Refusal:
      if (delta.choice != 0) break;
      if (m_several && !m_any_text) mark(0);
      text(delta.text);
      break;
    case Piece::Reasoning:
      if (delta.choice == 0) aside(delta.text);
      break;
    case Piece::Tool:
      end_aside();
      aside(fmt::format("[{}]\n", replace_all(std::string(delta.text), "\n", " ")));
      break;
  }
}

Result<void> AnswerView::flush() {
  if (!m_state) return m_state;
  return m_session.out().flush();
}

void AnswerView::choice(const Answer& answer, std::size_t index) {
  const Choice& from = answer.choices[index];
  if (index > 0 || !m_any_text) {
    if (m_several) mark(index);
    text(from.text);
    text(from.refusal);
    end_line();
  }
  for (const ToolCall& call : from.tool_calls) {
    if (!call.runs_on_service) text(fmt::format("{} {}\n", call.name, call.arguments));
  }
}

void AnswerView::beside(const Answer& answer) {
  print::Notices& notices = m_session.notices();
  for (std::size_t i = 0; i < answer.citations.size(); ++i) {
    notices.aside(fmt::format("[{}] {}", i + 1, answer.citations[i]));
  }
  for (const std::string& file : answer.output_files) notices.aside(fmt::format("file {}", file));
  if (answer.usage) notices.aside(usage_line(*answer.usage));
}

void AnswerView::mark(std::size_t index) {
  text(fmt::format("--- choice {} ---\n", index + 1));
}

Result<void> AnswerView::finish(const Answer& answer) {
  end_line();
  m_several = m_several || answer.choices.size() > 1;
  for (std::size_t i = 0; i < answer.choices.size(); ++i) choice(answer, i);
  end_line();
  SVC_CHECK(flush());
  end_aside();
  beside(answer);
  return {};
}

void AnswerView::break_off() {
  end_line();
  end_aside();
  (void)flush();
}

}  // namespace svc::cli
