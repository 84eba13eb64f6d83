// One accepted connection of the fault server as a byte stream. Destroying the server ends waits.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string_view>

#include <openssl/ssl.h>

namespace svc::test {

struct SslFree {
  void operator()(SSL* ssl) const noexcept { SSL_free(ssl); }
};

class FaultStream {
 public:
  /// Takes ownership of `fd` (non-blocking). `stop_fd` becomes readable on shutdown.
  FaultStream(int fd, int stop_fd, SSL_CTX* context);
  FaultStream(const FaultStream&) = delete;
  FaultStream& operator=(const FaultStream&) = delete;
  ~FaultStream();

  /// The server's side of the TLS handshake; true at once without TLS.
  [[nodiscard]] bool handshake();

  /// Reads at most `size` bytes; 0 if the peer closed, or on shutdown.
  [[nodiscard]] std::size_t read(char* buffer, std::size_t size);
  [[nodiscard]] bool write(std::string_view bytes);

  /// Returns false if the peer closes or the server shuts down before the time is over.
  [[nodiscard]] bool sleep(std::chrono::milliseconds time);

  /// Waits until a byte can be read; false as for sleep.
  [[nodiscard]] bool wait_readable();
  /// Waits until the peer closes, without reading.
  void wait_closed();

  void half_close();
  void close();  ///< close_notify, then FIN
  void cut();    ///< FIN only
  void reset();

  [[nodiscard]] std::uint64_t received() const noexcept { return m_received; }
  [[nodiscard]] std::uint64_t sent() const noexcept { return m_sent; }
  [[nodiscard]] bool peer_closed() const noexcept { return m_peer_closed; }

 private:
  [[nodiscard]] bool wait(short events, int timeout_ms);
  [[nodiscard]] bool wait_for_ssl(int result);
  void close_fd() noexcept;

  int m_fd;
  int m_stop_fd;
  std::unique_ptr<SSL, SslFree> m_ssl{};
  std::uint64_t m_received = 0;
  std::uint64_t m_sent = 0;
  bool m_peer_closed = false;
  bool m_stopped = false;
};

}  // namespace svc::test
