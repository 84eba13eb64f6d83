#include "history/tty_id.h"

#include <fmt/format.h>
#include <unistd.h>

#include "base/platform.h"
#include "base/text.h"

namespace svc::history {

std::string tty_id() {
  const auto self = process_facts(::getpid());
  if (!self || self->terminal.empty()) return {};
  const auto leader = parse_integer(self->session);
  const auto session = leader ? process_facts(static_cast<pid_t>(*leader)) : std::nullopt;
  if (!session) return {};
  return fmt::format("{} {} {} {}", self->terminal, self->session, session->start, boot_id());
}

}  // namespace svc::history
