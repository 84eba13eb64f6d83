// Listens, and serves HTTP/1.1 on what it accepts.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "emulator/server/dispatch.h"
#include "emulator/server/tls.h"

namespace svc::emulator {

/// How long a connection may take for what.
struct Timing {
  std::chrono::milliseconds idle{75'000};    ///< between requests
  std::chrono::milliseconds head{30'000};    ///< for a head, from its first byte on
  std::chrono::milliseconds body{60'000};    ///< between two reads of a body
  std::chrono::milliseconds write{300'000};  ///< for a piece that the peer does not read
  std::chrono::milliseconds drain{2'000};    ///< for what the peer still sends after a refusal
  std::chrono::milliseconds handshake{10'000};
};

struct ServerOptions {
  std::string host = "127.0.0.1";
  std::uint16_t port = 0;  ///< 0: a free one
  std::optional<TlsIdentity> tls{};
  Timing timing{};
  /// The usual limit of descriptors is 1024. Further ones take the place of those that wait for a
  /// request, longest first, or wait themselves.
  std::size_t max_connections = 512;
};

/// Runs from start() until its destruction, on two threads of its own.
class Server {
 public:
  /// `dispatcher` must outlive it. Local, with a sentence, when the address cannot be had.
  [[nodiscard]] static Result<std::unique_ptr<Server>> start(ServerOptions options,
                                                             Dispatcher& dispatcher);
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;
  /// stop(), when nobody did.
  ~Server();

  [[nodiscard]] std::uint16_t port() const;

  /// Accepts nothing more, lets answers under way end for at most `grace`, ends the rest, and
  /// returns when all is over.
  void stop(std::chrono::milliseconds grace = std::chrono::milliseconds(1000));

 private:
  struct Impl;
  explicit Server(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> m_impl;
};

}  // namespace svc::emulator
