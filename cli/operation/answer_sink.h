// Who shows a model's answer in text output: plain, or as a conversation on a terminal does.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "client/answer.h"

namespace svc::cli {

class AnswerSink {
 public:
  AnswerSink() = default;
  AnswerSink(const AnswerSink&) = delete;
  AnswerSink& operator=(const AnswerSink&) = delete;
  virtual ~AnswerSink() = default;

  /// A request goes out that asks for this many choices.
  virtual void begin(std::int64_t choices) = 0;

  /// Shows a piece as it arrives.
  virtual void show(const Delta& delta) = 0;

  /// Makes everything shown so far visible. The first failure to write is reported here.
  [[nodiscard]] virtual Result<void> flush() = 0;

  /// The answer asks for programs: they run now, and another answer follows. Shows what was not
  /// shown yet and ends the line.
  [[nodiscard]] virtual Result<void> pause(const Answer& answer) = 0;

  /// Shows what was not shown yet of the last answer: all of one that was not streamed, further
  /// choices, calls of functions. Ends the line.
  [[nodiscard]] virtual Result<void> finish(const Answer& answer) = 0;

  /// The answer broke off: ends the line, so that the error stands on its own.
  virtual void break_off() = 0;
};

}  // namespace svc::cli
