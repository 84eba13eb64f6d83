#include "base/manual_stop.h"

#include <cstdint>

#include <sys/eventfd.h>

namespace svc {

ManualStop::ManualStop() : m_wake(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

void ManualStop::ask() noexcept {
  m_asked = true;
  const std::uint64_t one = 1;
  (void)!::write(m_wake.get(), &one, sizeof one);
}

std::optional<Fault> ManualStop::requested() const noexcept {
  if (!m_asked) return std::nullopt;
  return Fault::Interrupted;
}

}  // namespace svc
