// A local port for the benchmarks' servers.
#pragma once

#include <cstdint>
#include <cstdlib>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

namespace svc::bench {

struct Listener {
  int fd = -1;  ///< closed by the caller
  std::uint16_t port = 0;
};

/// Listens on a free port of the loopback interface; exits the benchmark on failure.
inline Listener listen_on_loopback(int backlog) {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* raw = reinterpret_cast<sockaddr*>(&address);
  if (::bind(fd, raw, size) != 0 || ::listen(fd, backlog) != 0 ||
      ::getsockname(fd, raw, &size) != 0) {
    std::exit(1);
  }
  return {fd, ntohs(address.sin_port)};
}

}  // namespace svc::bench
