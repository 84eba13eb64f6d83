// Messages as frames (RFC 6455 §5 to §7), the client's side. Works on bytes only, without a socket
// or a clock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

struct wslay_event_context;

namespace svc::websocket {

/// Codes of RFC 6455 §7.4.1 that this side sends or interprets.
inline constexpr std::uint16_t k_normal_closure = 1000;
inline constexpr std::uint16_t k_protocol_error = 1002;
inline constexpr std::uint16_t k_no_status = 1005;         ///< the peer's close frame has no code
inline constexpr std::uint16_t k_abnormal_closure = 1006;  ///< no close frame was received
inline constexpr std::uint16_t k_invalid_payload = 1007;
inline constexpr std::uint16_t k_too_big = 1009;

/// How a connection ended.
struct Close {
  std::uint16_t code = k_abnormal_closure;
  std::string reason{};         ///< from the peer; untrusted text
  bool closed_locally = false;  ///< this side ended it; if the code is not 1000, because of an
                                ///< error of the peer
};

struct Message {
  bool binary = false;
  std::string data{};
};

class Framing {
 public:
  /// A message from the peer longer than `max_message` bytes ends the connection (1009).
  explicit Framing(std::size_t max_message);
  Framing(const Framing&) = delete;
  Framing& operator=(const Framing&) = delete;
  ~Framing() = default;

  /// Parses bytes from the peer and appends the messages they complete. Answers pings (only the
  /// latest if several are pending) and a close. After a close or a protocol violation, further
  /// bytes are ignored.
  void receive(std::string_view bytes, std::deque<Message>& messages);

  /// Set once the peer has sent a close frame or violated the protocol.
  [[nodiscard]] const std::optional<Close>& ended() const noexcept { return m_ended; }

  /// Whether send() and close() may be called: the previous message has been converted to output.
  [[nodiscard]] bool can_send() const noexcept;
  /// Starts sending a message. A long message is split into several frames, so that pings are
  /// answered in between.
  void send(Message message);
  /// Sends a ping.
  void ping() noexcept { m_ping_due = true; }
  /// Sends a close frame; the reason is truncated to the maximum length.
  void close(std::uint16_t code, std::string_view reason);

  /// The bytes to write next; empty if there are none. wrote() consumes them.
  [[nodiscard]] std::string_view output();
  void wrote(std::size_t bytes) noexcept { m_written += bytes; }
  /// Whether this side's close frame, its last frame, has been written.
  [[nodiscard]] bool close_written() const noexcept;

 private:
  struct Head;
  struct Callbacks;
  static std::optional<Head> read_head(std::string_view bytes);
  [[nodiscard]] bool begin_frame(const Head& head);
  [[nodiscard]] bool begin_data(const Head& head);
  void handle_control(unsigned opcode, std::string_view payload);
  void handle_data(std::string_view chunk, std::deque<Message>& messages);
  [[nodiscard]] bool is_text();
  void handle_close(std::string_view payload);
  bool violation(std::uint16_t code, std::string_view what);
  void queue(unsigned opcode, std::string_view payload);

  std::size_t m_max_message;
  std::unique_ptr<wslay_event_context, void (*)(wslay_event_context*)> m_context;

  // Incoming.
  std::string m_partial{};     ///< an incomplete head or control frame
  std::uint64_t m_left = 0;    ///< of a data frame, including its head
  std::string_view m_input{};  ///< the bytes available to the library
  std::optional<Message> m_message{};
  bool m_text_begins = false;  ///< the input starts with the head of a text message
  bool m_complete = false;     ///< m_message
  std::size_t m_checked = 0;   ///< bytes of m_message validated as UTF-8
  std::optional<Close> m_ended{};

  // Outgoing.
  std::string m_output{};
  std::size_t m_written = 0;
  std::string m_sending{};  ///< a message sent in several frames
  std::size_t m_sent = 0;   ///< of m_sending
  std::optional<std::string> m_pong_due{};
  bool m_ping_due = false;
};

}  // namespace svc::websocket
