// Frames of RFC 6455 §5: their heads, their masks, and text that arrives in pieces.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace svc::websocket {

enum class Opcode : std::uint8_t {
  Continuation = 0x0,
  Text = 0x1,
  Binary = 0x2,
  Close = 0x8,
  Ping = 0x9,
  Pong = 0xA,
};

/// The most that the payload of a close, ping or pong may take.
inline constexpr std::size_t k_max_control_payload = 125;

struct FrameHead {
  bool final = true;
  std::uint8_t reserved = 0;  ///< the three reserved bits
  std::uint8_t opcode = 0;    ///< any of sixteen: the peer decides
  bool masked = false;
  std::uint64_t length = 0;  ///< of the payload, as the peer says
  bool minimal = true;       ///< the length was written in its shortest form
  std::size_t size = 0;      ///< bytes of the head itself
};

/// The head that `bytes` begins with; nothing when more of it has to come.
[[nodiscard]] std::optional<FrameHead> read_frame_head(std::string_view bytes);

/// Appends a frame as a client sends it: masked, with a fresh mask of the system's generator.
void append_frame(std::string& out, Opcode opcode, bool final, std::string_view payload);

/// XORs `bytes` with the four bytes of `mask`, from its first one on.
void apply_mask(char* bytes, std::size_t size, const char (&mask)[4]) noexcept;

/// UTF-8 that arrives in pieces cut anywhere.
class Utf8Check {
 public:
  /// False as soon as no continuation can make it well-formed.
  [[nodiscard]] bool feed(std::string_view piece);
  /// Whether the text may end here.
  [[nodiscard]] bool complete() const noexcept { return m_held.empty(); }

 private:
  std::string m_held{};  ///< the beginning of a code point, at most three bytes
};

}  // namespace svc::websocket
