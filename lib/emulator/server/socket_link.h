// One WebSocket connection over a Wire, with the faults that befall it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "emulator/control/faults.h"
#include "emulator/handler/socket.h"
#include "emulator/server/crew.h"
#include "emulator/server/wire.h"

namespace svc::emulator {

/// Told of each message that came in.
using MessageLog = std::function<void(std::string_view message, bool is_text)>;

class SocketLink {
 public:
  enum class End : std::uint8_t {
    Closed,  ///< both have said goodbye, or the peer is gone
    Broken,  ///< the connection is to end at once
  };
  struct Parts {
    std::shared_ptr<Wire> wire;  ///< the handshake has been read from it
    SocketOffer offer;
    FaultPlan plan;
    Crew& crew;  ///< must outlive the link
    MessageLog log;
    std::function<void(End)> done;  ///< called once, when the session has ended
  };
  /// On the wire's strand.
  [[nodiscard]] static std::shared_ptr<SocketLink> make(Parts parts);

  SocketLink() = default;
  SocketLink(const SocketLink&) = delete;
  SocketLink& operator=(const SocketLink&) = delete;
  virtual ~SocketLink() = default;

  /// Answers the handshake and goes on. `rest` was read behind it already.
  virtual void start(std::string rest) = 0;

  /// The server ends: says goodbye with 1001.
  virtual void shut_down() = 0;

  /// The wire was closed: ends the session.
  virtual void abandon() = 0;
};

}  // namespace svc::emulator
