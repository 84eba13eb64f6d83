// A model's answer for people: its text on standard output, everything beside it on standard error.
#pragma once

#include <string_view>

#include "base/result.h"
#include "base/visible.h"
#include "client/answer.h"
#include "session.h"

namespace svc::cli {

class AnswerView {
 public:
  /// `several`: more than one choice was asked for, so that each is marked.
  AnswerView(Session& session, bool several) : m_session(session), m_several(several) {}

  /// Shows a piece as it arrives. The first choice's text goes out at once; other choices wait for
  /// finish(), so that they do not mix.
  void show(const Delta& delta);

  /// Makes everything shown so far visible. The first failure to write is reported here.
  [[nodiscard]] Result<void> flush();

  /// Shows what was not shown yet of the whole answer: further choices (marked), tool calls, and on
  /// standard error citations, files, tokens and cost. Ends with a newline.
  [[nodiscard]] Result<void> finish(const Answer& answer);

  /// The answer broke off: ends the line, so that the error stands on its own.
  void break_off();

 private:
  void text(std::string_view bytes);
  void aside(std::string_view bytes);
  void end_aside();
  void end_line();
  void mark(std::size_t index);
  void choice(const Answer& answer, std::size_t index);
  void beside(const Answer& answer);

  Session& m_session;
  bool m_several;
  VisibleStream m_visible{};
  VisibleStream m_visible_aside{};
  Result<void> m_state{};
  bool m_any_text = false;
  bool m_line_open = false;
  bool m_aside_open = false;
};

/// "9 tokens in (4 cached), 12 out (5 reasoning), 2 sources, $0.0042".
[[nodiscard]] std::string usage_line(const Usage& usage);

}  // namespace svc::cli
