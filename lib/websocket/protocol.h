// The WebSocket protocol after its handshake (RFC 6455 §5 to §7), a client's side, as bytes in and
// bytes out: no socket, no clock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

#include "websocket/frame.h"

namespace svc::websocket {

/// Codes of RFC 6455 §7.4.1 that this side sends, or gives a meaning to.
inline constexpr std::uint16_t k_normal_closure = 1000;
inline constexpr std::uint16_t k_protocol_error = 1002;
inline constexpr std::uint16_t k_no_status = 1005;         ///< the peer's close frame named none
inline constexpr std::uint16_t k_abnormal_closure = 1006;  ///< there was no close frame
inline constexpr std::uint16_t k_invalid_payload = 1007;
inline constexpr std::uint16_t k_too_big = 1009;

/// How a connection ended.
struct Close {
  std::uint16_t code = k_abnormal_closure;
  std::string reason{};  ///< of the peer: foreign text
  bool ours = false;     ///< this side ended it: because of what the peer did when it is no 1000
};

struct Message {
  bool binary = false;
  std::string data{};
};

class Protocol {
 public:
  /// A message of the peer that is longer than `max_message` bytes ends the connection (1009).
  explicit Protocol(std::size_t max_message) noexcept : m_max_message(max_message) {}

  /// Takes bytes of the peer and appends the messages that they complete. Answers pings (only the
  /// last one of several that wait), and a close. After a close, or a violation of the protocol,
  /// nothing more is taken.
  void receive(std::string_view bytes, std::deque<Message>& messages);

  /// Set once the peer has sent its close frame, or broken the protocol.
  [[nodiscard]] const std::optional<Close>& ended() const noexcept { return m_ended; }

  /// Whether send() may be called: the message before has been turned into output.
  [[nodiscard]] bool can_send() const noexcept { return !m_sending && !m_close_sent; }
  /// Begins to send a message, in frames of at most 1 MiB so that pings are answered in between.
  void send(Message message);
  /// Asks the peer for a sign of life.
  void ping() noexcept { m_ping_due = true; }
  /// Sends a close frame behind what is being sent; the reason is cut to what fits.
  void close(std::uint16_t code, std::string_view reason);

  /// What has to be written next, until taken by wrote(); empty when there is nothing.
  [[nodiscard]] std::string_view output();
  void wrote(std::size_t bytes) noexcept { m_written += bytes; }
  /// True when the close frame, this side's last one, has been written.
  [[nodiscard]] bool close_written() const noexcept {
    return m_close_sent && m_written == m_output.size();
  }

 private:
  [[nodiscard]] bool take_frame(std::string_view& bytes, std::deque<Message>& messages);
  [[nodiscard]] bool begin_frame(const FrameHead& head);
  [[nodiscard]] bool begin_data(const FrameHead& head);
  [[nodiscard]] bool take_payload(std::string_view piece);
  [[nodiscard]] bool end_frame(std::deque<Message>& messages);
  [[nodiscard]] bool end_message(std::deque<Message>& messages);
  void peer_closes(std::string_view payload);
  bool violation(std::uint16_t code, std::string_view what);
  void send_close(std::uint16_t code, std::string_view reason);
  void compose_data();

  std::size_t m_max_message;

  // What arrives.
  std::string m_head{};  ///< the beginning of a frame's head
  std::optional<FrameHead> m_frame{};
  std::uint64_t m_left = 0;  ///< of the frame's payload
  std::string m_control{};   ///< the payload of a control frame
  std::optional<Message> m_message{};
  Utf8Check m_utf8{};
  std::optional<Close> m_ended{};

  // What leaves.
  std::string m_output{};
  std::size_t m_written = 0;
  std::optional<Message> m_sending{};
  std::size_t m_sent = 0;  ///< of m_sending
  std::optional<std::string> m_pong_due{};
  bool m_ping_due = false;
  std::optional<Close> m_close_due{};
  bool m_close_sent = false;
};

}  // namespace svc::websocket
