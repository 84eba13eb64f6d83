#include "live/async_connect.h"

#include <utility>

namespace svc::cli {

AsyncConnect::AsyncConnect(websocket::OpenRequest request, websocket::ChannelOptions options) {
  // What the trace would tell goes to a stream of another thread.
  options.transport.trace = nullptr;
  m_thread = std::thread([this, request = std::move(request), options = std::move(options)] {
    m_opening = websocket::open_channel(request, options, m_cancel);
    m_is_over = true;
    m_over.signal();
  });
}

AsyncConnect::~AsyncConnect() {
  m_cancel.cancel();
  m_thread.join();
}

Result<websocket::Opening> AsyncConnect::take() {
  return *std::exchange(m_opening, std::nullopt);
}

}  // namespace svc::cli
