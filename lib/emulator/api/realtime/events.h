// What goes out on a realtime socket: events, each with an id, and errors.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "emulator/handler/socket.h"
#include "emulator/json/json.h"

namespace svc::emulator::realtime {

using text::Json;
using text::sv;

/// Why a client's message was not taken. Its code is the emulator's own word: the service's are
/// unpublished.
struct Complaint {
  std::string code{};
  std::string message{};
  std::string param{};  ///< the member that is wrong; empty: none
  std::string type = "invalid_request_error";
};

/// "item_" and 24 random hexadecimal digits, for the prefix "item_".
[[nodiscard]] std::string make_id(sv prefix);

class Outbox {
 public:
  explicit Outbox(std::shared_ptr<SocketPeer> peer);

  /// An event with `members` behind its type and id.
  void send(sv type, const Json& members);
  void send_binary(std::string bytes) { m_peer->send_binary(std::move(bytes)); }
  /// An error event that the session survives; `event_id` is the client's.
  void complain(const Complaint& complaint, const std::string& event_id);

 private:
  std::shared_ptr<SocketPeer> m_peer;
  std::string m_prefix;
  std::uint64_t m_count = 0;
};

}  // namespace svc::emulator::realtime
