#include "batch/send_window.h"

#include <algorithm>

namespace svc::batch {
namespace {

/// What a busy network adds now and then says nothing.
constexpr double k_usual_delay = 100;  // ms

}  // namespace

void SendWindow::shrink(double by, std::size_t others) noexcept {
  m_probes = false;
  m_size = std::max(1.0, m_size * by);
  m_deaf = others;
}

void SendWindow::answered(milliseconds took, bool held_up, std::size_t others) noexcept {
  // A service that has become slower for good is measured anew, little by little.
  const auto time = static_cast<double>(took.count());
  m_shortest = m_shortest ? std::min(time, *m_shortest * 1.005) : time;
  if (m_deaf > 0) {
    --m_deaf;
    return;
  }
  if (held_up) return shrink(0.5, others);
  if (time > *m_shortest * 2 + k_usual_delay) return shrink(0.8, others);
  m_size = std::min(static_cast<double>(m_most), m_size + (m_probes ? 1 : 1 / m_size));
}

}  // namespace svc::batch
