#include "history/tty_id.h"

#include <fmt/format.h>
#include <unistd.h>

#include "base/platform.h"

namespace svc::history {

std::string tty_id() {
  const auto self = process_facts(::getpid());
  if (!self || self->terminal.empty()) return {};
  const auto session = process_facts(self->session);
  if (!session) return {};
  return fmt::format("{} {} {} {}", self->terminal, self->session, session->start, boot_id());
}

}  // namespace svc::history
