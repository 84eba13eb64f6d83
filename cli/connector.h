// A WebSocket that is opened while something else goes on.
#pragma once

#include <atomic>
#include <optional>
#include <thread>

#include "base/file_descriptor.h"
#include "base/result.h"
#include "base/stop.h"
#include "websocket/channel.h"

namespace svc::cli {

class Connector {
 public:
  Connector(websocket::OpenRequest request, websocket::ChannelOptions options);
  Connector(const Connector&) = delete;
  Connector& operator=(const Connector&) = delete;
  /// Ends an attempt that still goes on.
  ~Connector();

  /// Readable once the attempt is over.
  [[nodiscard]] int descriptor() const noexcept { return m_over.get(); }
  [[nodiscard]] bool over() const noexcept { return m_is_over; }
  /// What came of it; once, when it is over.
  [[nodiscard]] Result<websocket::Opening> take();

 private:
  class Cancel final : public Stop {
   public:
    Cancel();
    void ask() noexcept;
    [[nodiscard]] std::optional<Fault> requested() const noexcept override;
    [[nodiscard]] int wake_fd() const noexcept override { return m_wake.get(); }

   private:
    std::atomic<bool> m_asked = false;
    FileDescriptor m_wake;
  };

  Cancel m_cancel{};
  FileDescriptor m_over;
  std::atomic<bool> m_is_over = false;
  std::optional<Result<websocket::Opening>> m_opening{};  ///< the thread's until it is over
  std::thread m_thread{};  ///< opens the channel; the destructor ends it
};

}  // namespace svc::cli
