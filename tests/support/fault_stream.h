// One accepted connection of the fault server, as bytes: waits end when the server is destroyed.
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
  /// Takes `fd` (non-blocking). `stop_fd` becomes readable when everything has to end.
  FaultStream(int fd, int stop_fd, SSL_CTX* context);
  FaultStream(const FaultStream&) = delete;
  FaultStream& operator=(const FaultStream&) = delete;
  ~FaultStream();

  /// The server's side of the TLS handshake; true at once without TLS.
  [[nodiscard]] bool handshake();

  /// At most `size` bytes; 0 when the peer closed, or when everything has to end.
  [[nodiscard]] std::size_t read(char* buffer, std::size_t size);
  [[nodiscard]] bool write(std::string_view bytes);

  /// False when the peer closed, or everything has to end, before the time was over.
  [[nodiscard]] bool sleep(std::chrono::milliseconds time);

  /// Until a byte can be read; false as for sleep.
  [[nodiscard]] bool wait_readable();
  /// Until the peer closes, without reading.
  void wait_closed();

  void half_close();
  void close();  ///< close_notify, then FIN
  void cut();    ///< FIN alone
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
