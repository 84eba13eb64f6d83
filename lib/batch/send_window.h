// How many calls are under way at once: as many as keep the service busy, and no more.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>

namespace svc::batch {

/// Pure: whoever asks brings the times. Grows while answers come quickly, at first by one with
/// each; shrinks when they take twice the shortest time and longer, and by half where the service
/// had a call wait (429).
class SendWindow {
 public:
  using milliseconds = std::chrono::milliseconds;

  explicit SendWindow(std::size_t most) noexcept : m_most(most) {}

  [[nodiscard]] std::size_t size() const noexcept { return static_cast<std::size_t>(m_size); }

  /// A call was answered after `took`, with `others` still under way.
  void answered(milliseconds took, bool held_up, std::size_t others) noexcept;

 private:
  void shrink(double by, std::size_t others) noexcept;

  std::size_t m_most;
  double m_size = 2;
  bool m_probes = true;                ///< nothing has shown yet how much is too much
  std::size_t m_deaf = 0;              ///< answers still to come of calls from before it shrank
  std::optional<double> m_shortest{};  ///< milliseconds
};

}  // namespace svc::batch
