// Ctrl-C while an answer comes: ends the answer, not the conversation.
#pragma once

#include <optional>

#include "base/file_descriptor.h"
#include "base/stop.h"
#include "editor/raw_terminal.h"
#include "signals.h"

namespace svc::cli {

/// Asks once the user pressed Ctrl-C, or the program is to end: a second Ctrl-C, while the answer
/// still ends, is that. Lives as long as one turn; Ctrl-C is a signal in that time only.
class TurnStop final : public Stop {
 public:
  TurnStop(const Stop& program, RawTerminal& terminal);
  ~TurnStop() override;

  [[nodiscard]] std::optional<Fault> requested() const noexcept override;
  [[nodiscard]] int wake_fd() const noexcept override { return m_either.get(); }

 private:
  const Stop& m_program;
  RawTerminal& m_terminal;
  FinishOnInterrupt m_interrupt{};
  FileDescriptor m_either;
};

}  // namespace svc::cli
