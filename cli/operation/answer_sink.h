// Interface for showing a model's answer in text output: plain, or in a conversation on a terminal.
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

  /// Starts a request for this many choices.
  virtual void begin(std::int64_t choices) = 0;

  /// Shows a chunk as it arrives.
  virtual void show(const Delta& delta) = 0;

  /// Flushes everything shown so far. Returns the first write error.
  [[nodiscard]] virtual Result<void> flush() = 0;

  /// The answer contains tool calls, which run now; another answer follows. Shows the rest and ends
  /// the line.
  [[nodiscard]] virtual Result<void> pause(const Answer& answer) = 0;

  /// Shows the rest of the last answer: all of one that was not streamed, other choices, tool
  /// calls. Ends the line.
  [[nodiscard]] virtual Result<void> finish(const Answer& answer) = 0;

  /// The answer was interrupted: ends the line, so that the error starts on a new one.
  virtual void interrupted() = 0;
};

}  // namespace svc::cli
