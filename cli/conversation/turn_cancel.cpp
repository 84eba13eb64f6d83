#include "conversation/turn_cancel.h"

#include "base/either.h"

namespace svc::cli {

TurnCancel::TurnCancel(const CancelToken& program, RawTerminal& terminal)
    : m_program(program),
      m_terminal(terminal),
      m_either(either_readable(program.wake_fd(), m_interrupt.descriptor())) {
  m_terminal.signals(true);
}

TurnCancel::~TurnCancel() {
  m_terminal.signals(false);
}

std::optional<Fault> TurnCancel::requested() const noexcept {
  if (const auto fault = m_program.requested()) return fault;
  return m_interrupt.asked() ? std::optional(Fault::Interrupted) : std::nullopt;
}

}  // namespace svc::cli
