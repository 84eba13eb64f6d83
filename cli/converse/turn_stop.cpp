#include "converse/turn_stop.h"

#include <sys/epoll.h>

namespace svc::cli {

TurnStop::TurnStop(const Stop& program, RawTerminal& terminal)
    : m_program(program), m_terminal(terminal), m_either(::epoll_create1(EPOLL_CLOEXEC)) {
  for (const int fd : {m_program.wake_fd(), m_interrupt.descriptor()}) {
    epoll_event event{};
    event.events = EPOLLIN;
    if (fd >= 0) ::epoll_ctl(m_either.get(), EPOLL_CTL_ADD, fd, &event);
  }
  m_terminal.signals(true);
}

TurnStop::~TurnStop() {
  m_terminal.signals(false);
}

std::optional<Fault> TurnStop::requested() const noexcept {
  if (const auto fault = m_program.requested()) return fault;
  return m_interrupt.asked() ? std::optional(Fault::Interrupted) : std::nullopt;
}

}  // namespace svc::cli
