// WebSocket frames for the fault server: any that a script wants, also those that no peer may send.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace svc::test {

/// `Sec-WebSocket-Accept` for a key (RFC 6455 §4.2.2).
[[nodiscard]] std::string websocket_accept(std::string_view key);

/// The bytes of a frame as a script says: words of `more` (not the last frame), `masked`, `rsv1`,
/// `rsv2`, `rsv3`, `long` (a length in its longest form), `declares N` (a length that is not the
/// payload's), then text, binary, continuation, ping, pong, close (then a code and a reason, or
/// nothing) or a number, then the payload, unescaped already. Nothing when it does not fit.
[[nodiscard]] std::optional<std::string> frame_bytes(std::string_view words);

struct ClientFrame {
  std::size_t size = 0;  ///< in bytes, head included
  unsigned opcode = 0;
  bool final = true;
  std::string payload{};  ///< without its mask
  /// How it is recorded: `text hello`, `more binary …`, `close 1000 reason`, `unmasked ping`.
  std::string record{};
};

/// The frame that `bytes` begins with; nothing when more of it has to come.
[[nodiscard]] std::optional<ClientFrame> read_client_frame(std::string_view bytes);

}  // namespace svc::test
