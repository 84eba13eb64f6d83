#include "connector.h"

#include <utility>

#include <sys/eventfd.h>
#include <unistd.h>

namespace svc::cli {
namespace {

void signal_event(int fd) noexcept {
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = ::write(fd, &one, sizeof one);
}

}  // namespace

Connector::Cancel::Cancel() : m_wake(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

void Connector::Cancel::ask() noexcept {
  m_asked = true;
  signal_event(m_wake.get());
}

std::optional<Fault> Connector::Cancel::requested() const noexcept {
  return m_asked ? std::optional(Fault::Interrupted) : std::nullopt;
}

Connector::Connector(websocket::OpenRequest request, websocket::ChannelOptions options)
    : m_over(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  // What the trace would tell goes to a stream of another thread.
  options.transport.trace = nullptr;
  m_thread = std::thread([this, request = std::move(request), options = std::move(options)] {
    m_opening = websocket::open_channel(request, options, m_cancel);
    m_is_over = true;
    signal_event(m_over.get());
  });
}

Connector::~Connector() {
  m_cancel.ask();
  m_thread.join();
}

Result<websocket::Opening> Connector::take() {
  return *std::exchange(m_opening, std::nullopt);
}

}  // namespace svc::cli
