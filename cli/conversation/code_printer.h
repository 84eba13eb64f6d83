// --code: of an answer only a block of code goes to standard output.
#pragma once

#include <cstddef>
#include <string>

#include "operation/answer_sink.h"
#include "session/session.h"

namespace svc::cli {

/// Shows nothing until the answer is there. An answer without that block is an error, with the
/// answer itself on standard error.
class CodePrinter final : public AnswerSink {
 public:
  /// `number` counts from 1.
  CodePrinter(Session& session, std::size_t number) : m_session(session), m_number(number) {}

  void begin(std::int64_t /*choices*/) override { m_text.clear(); }
  void show(const Delta& delta) override;
  [[nodiscard]] Result<void> flush() override { return {}; }
  [[nodiscard]] Result<void> pause(const Answer& /*answer*/) override { return {}; }
  [[nodiscard]] Result<void> finish(const Answer& answer) override;
  void break_off() override;

 private:
  Session& m_session;
  std::size_t m_number;
  std::string m_text{};  ///< of a stream
};

}  // namespace svc::cli
