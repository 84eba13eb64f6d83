// A WebSocket that is opened while something else runs.
#pragma once

#include <atomic>
#include <optional>
#include <thread>

#include "base/cancel_token.h"
#include "base/result.h"
#include "websocket/channel.h"

namespace svc::cli {

class AsyncConnect {
 public:
  AsyncConnect(websocket::OpenRequest request, websocket::ChannelOptions options);
  AsyncConnect(const AsyncConnect&) = delete;
  AsyncConnect& operator=(const AsyncConnect&) = delete;
  /// Ends an attempt that is still running.
  ~AsyncConnect();

  /// Readable once the attempt is over.
  [[nodiscard]] int descriptor() const noexcept { return m_over.descriptor(); }
  [[nodiscard]] bool over() const noexcept { return m_is_over; }
  /// What came of it; once, when it is over.
  [[nodiscard]] Result<websocket::Opening> take();

 private:
  CancelSource m_cancel{};
  Event m_over{};
  std::atomic<bool> m_is_over = false;
  std::optional<Result<websocket::Opening>> m_opening{};  ///< the thread's until it is over
  std::thread m_thread{};  ///< opens the channel; the destructor ends it
};

}  // namespace svc::cli
