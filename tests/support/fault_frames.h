// WebSocket frames for the fault server, including ones that the protocol forbids.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace svc::test {

/// `Sec-WebSocket-Accept` for a key (RFC 6455 §4.2.2).
[[nodiscard]] std::string websocket_accept(std::string_view key);

/// The bytes of a frame described by `words`: any of `more` (not the last frame), `masked`, `rsv1`,
/// `rsv2`, `rsv3`, `long` (the longest encoding of the length), `declares N` (a wrong length for
/// the payload), then text, binary, continuation, ping, pong, close (then a code and a reason, or
/// nothing) or a number, then the payload, already unescaped. Nullopt if `words` is invalid.
[[nodiscard]] std::optional<std::string> frame_bytes(std::string_view words);

struct ClientFrame {
  std::size_t size = 0;  ///< in bytes, including the head
  unsigned opcode = 0;
  bool final = true;
  std::string payload{};  ///< unmasked
  /// Its record: `text hello`, `more binary …`, `close 1000 reason`, `unmasked ping`.
  std::string record{};
};

/// The frame at the start of `bytes`; nullopt if it is incomplete.
[[nodiscard]] std::optional<ClientFrame> read_client_frame(std::string_view bytes);

}  // namespace svc::test
