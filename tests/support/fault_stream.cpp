#include "support/fault_stream.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace svc::test {

FaultStream::FaultStream(int fd, int stop_fd, SSL_CTX* context) : m_fd(fd), m_stop_fd(stop_fd) {
  if (context == nullptr) return;
  m_ssl.reset(SSL_new(context));
  SSL_set_fd(m_ssl.get(), fd);
}

FaultStream::~FaultStream() {
  close_fd();
}

bool FaultStream::wait(short events, int timeout_ms) {
  if (m_fd < 0 || m_stopped) return false;
  std::array<pollfd, 2> fds{pollfd{m_fd, events, 0}, pollfd{m_stop_fd, POLLIN, 0}};
  const int ready = poll(fds.data(), fds.size(), timeout_ms);
  if (fds[1].revents != 0) {
    m_stopped = true;
    return false;
  }
  return ready > 0 && fds[0].revents != 0;
}

/// Waits as required by the `result` of an SSL function; false if the connection has ended.
bool FaultStream::wait_for_ssl(int result) {
  switch (SSL_get_error(m_ssl.get(), result)) {
    case SSL_ERROR_WANT_READ:
      return wait(POLLIN, -1);
    case SSL_ERROR_WANT_WRITE:
      return wait(POLLOUT, -1);
    default:
      m_peer_closed = true;
      return false;
  }
}

bool FaultStream::handshake() {
  if (!m_ssl) return true;
  for (;;) {
    const int result = SSL_accept(m_ssl.get());
    if (result == 1) return true;
    if (!wait_for_ssl(result)) return false;
  }
}

std::size_t FaultStream::read(char* buffer, std::size_t size) {
  size = std::min<std::size_t>(size, INT_MAX);
  while (m_fd >= 0 && !m_stopped) {
    if (m_ssl) {
      const int result = SSL_read(m_ssl.get(), buffer, static_cast<int>(size));
      if (result > 0) {
        m_received += static_cast<std::uint64_t>(result);
        return static_cast<std::size_t>(result);
      }
      if (!wait_for_ssl(result)) return 0;
      continue;
    }
    const ssize_t count = recv(m_fd, buffer, size, 0);
    if (count > 0) {
      m_received += static_cast<std::uint64_t>(count);
      return static_cast<std::size_t>(count);
    }
    if (count == 0 || (errno != EAGAIN && errno != EINTR)) {
      m_peer_closed = true;
      return 0;
    }
    if (!wait(POLLIN, -1)) return 0;
  }
  return 0;
}

bool FaultStream::write(std::string_view bytes) {
  while (!bytes.empty()) {
    if (m_fd < 0 || m_stopped) return false;
    std::size_t done = 0;
    if (m_ssl) {
      const int size = static_cast<int>(std::min<std::size_t>(bytes.size(), 1U << 20U));
      const int result = SSL_write(m_ssl.get(), bytes.data(), size);
      if (result <= 0) {
        if (!wait_for_ssl(result)) return false;
        continue;
      }
      done = static_cast<std::size_t>(result);
    } else {
      const ssize_t count = send(m_fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (count < 0) {
        if (errno != EAGAIN && errno != EINTR) {
          m_peer_closed = true;
          return false;
        }
        if (!wait(POLLOUT, -1)) return false;
        continue;
      }
      done = static_cast<std::size_t>(count);
    }
    m_sent += done;
    bytes.remove_prefix(done);
  }
  return true;
}

bool FaultStream::sleep(std::chrono::milliseconds time) {
  if (wait(POLLRDHUP, static_cast<int>(time.count()))) {
    m_peer_closed = true;
    return false;
  }
  return m_fd >= 0 && !m_stopped;
}

bool FaultStream::wait_readable() {
  if (m_ssl && SSL_pending(m_ssl.get()) > 0) return true;
  return wait(POLLIN, -1);
}

void FaultStream::wait_closed() {
  if (wait(POLLRDHUP, -1)) m_peer_closed = true;
}

void FaultStream::half_close() {
  if (m_fd < 0) return;
  if (m_ssl) SSL_shutdown(m_ssl.get());
  shutdown(m_fd, SHUT_WR);
}

void FaultStream::close() {
  if (m_fd < 0) return;
  if (m_ssl) SSL_shutdown(m_ssl.get());
  cut();
}

void FaultStream::cut() {
  if (m_fd < 0) return;
  // Closing with unread bytes would send a reset, which may discard our last bytes: send FIN first
  // and give the peer a moment to read them and close.
  shutdown(m_fd, SHUT_WR);
  std::array<char, 65536> rest{};
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(500);
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        deadline - std::chrono::steady_clock::now());
    if (left.count() <= 0 || !wait(POLLIN, static_cast<int>(left.count()))) break;
    if (recv(m_fd, rest.data(), rest.size(), 0) <= 0) break;
  }
  close_fd();
}

void FaultStream::reset() {
  if (m_fd < 0) return;
  const linger hard{1, 0};
  setsockopt(m_fd, SOL_SOCKET, SO_LINGER, &hard, sizeof hard);
  close_fd();
}

void FaultStream::close_fd() noexcept {
  if (m_fd >= 0) ::close(m_fd);
  m_fd = -1;
}

}  // namespace svc::test
