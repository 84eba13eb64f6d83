// Work in a thread of its own.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <thread>
#include <utility>

#include "base/cancel_token.h"

namespace svc {

template <typename T>
class Background {
 public:
  /// Must return soon after `cancel` was canceled; may cancel itself.
  using Work = std::function<T(CancelSource& cancel)>;

  explicit Background(Work work) {
    m_thread = std::thread([this, work = std::move(work)] {
      m_result.emplace(work(m_cancel));
      m_is_over = true;
      m_over.signal();
    });
  }
  Background(const Background&) = delete;
  Background& operator=(const Background&) = delete;
  /// Cancels the work and waits until it has ended.
  ~Background() {
    m_cancel.cancel();
    if (m_thread.joinable()) m_thread.join();
  }

  /// Requests cancellation without waiting.
  void cancel() noexcept { m_cancel.cancel(); }

  /// Becomes readable when the work has ended.
  [[nodiscard]] int descriptor() const noexcept { return m_over.descriptor(); }
  [[nodiscard]] bool over() const noexcept { return m_is_over; }

  /// Waits until the work has ended.
  [[nodiscard]] T& result() {
    if (m_thread.joinable()) m_thread.join();
    return *m_result;
  }

 private:
  CancelSource m_cancel{};
  Event m_over{};
  std::atomic<bool> m_is_over = false;
  std::optional<T> m_result{};  ///< owned by the thread until the work has ended
  std::thread m_thread{};       ///< does the work; joined by the destructor
};

}  // namespace svc
