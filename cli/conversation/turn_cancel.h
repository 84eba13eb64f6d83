// Ctrl-C while an answer comes: ends the answer, not the conversation.
#pragma once

#include <optional>

#include "base/cancel_token.h"
#include "base/file_descriptor.h"
#include "terminal/editor/raw_terminal.h"
#include "terminal/signals.h"

namespace svc::cli {

/// Asks once the user pressed Ctrl-C, or the program is to end: a second Ctrl-C, while the answer
/// still ends, is that. Lives as long as one turn; Ctrl-C is a signal in that time only.
class TurnCancel final : public CancelToken {
 public:
  TurnCancel(const CancelToken& program, RawTerminal& terminal);
  ~TurnCancel() override;

  [[nodiscard]] std::optional<Fault> requested() const noexcept override;
  [[nodiscard]] int wake_fd() const noexcept override { return m_either.get(); }

 private:
  const CancelToken& m_program;
  RawTerminal& m_terminal;
  FinishOnInterrupt m_interrupt{};
  FileDescriptor m_either;
};

}  // namespace svc::cli
