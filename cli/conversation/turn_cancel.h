// Ctrl-C while an answer comes: ends the answer, not the conversation.
#pragma once

#include "base/linked_token.h"
#include "terminal/editor/raw_terminal.h"
#include "terminal/signals.h"

namespace svc::cli {

/// Asks once the user pressed Ctrl-C, or the program is to end: a second Ctrl-C, while the answer
/// still ends, is that. Lives as long as one turn; Ctrl-C is a signal in that time only.
class TurnCancel final : public LinkedToken {
 public:
  TurnCancel(const CancelToken& program, RawTerminal& terminal) : m_terminal(terminal) {
    link({&program, &m_interrupt});
    m_terminal.signals(true);
  }
  ~TurnCancel() override { m_terminal.signals(false); }

 private:
  RawTerminal& m_terminal;
  FinishOnInterrupt m_interrupt{};
};

}  // namespace svc::cli
