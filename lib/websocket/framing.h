// Messages as frames (RFC 6455 §5 to §7), a client's side, as bytes in and bytes out: no socket, no
// clock.
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
  bool ours = false;     ///< this side ended it: because of what the peer did if not with 1000
};

struct Message {
  bool binary = false;
  std::string data{};
};

class Framing {
 public:
  /// A message of the peer that is longer than `max_message` bytes ends the connection (1009).
  explicit Framing(std::size_t max_message);
  Framing(const Framing&) = delete;
  Framing& operator=(const Framing&) = delete;
  ~Framing() = default;

  /// Takes bytes of the peer and appends the messages that they complete. Answers pings (only the
  /// last one of several that wait), and a close. After a close, or a violation of the protocol,
  /// nothing more is taken.
  void receive(std::string_view bytes, std::deque<Message>& messages);

  /// Set once the peer has sent its close frame, or broken the protocol.
  [[nodiscard]] const std::optional<Close>& ended() const noexcept { return m_ended; }

  /// Whether send() and close() may be called: the message before has been turned into output.
  [[nodiscard]] bool can_send() const noexcept;
  /// Begins to send a message; a long one in several frames, so that pings are answered in between.
  void send(Message message);
  /// Asks the peer for a sign of life.
  void ping() noexcept { m_ping_due = true; }
  /// Sends a close frame; the reason is cut to what fits.
  void close(std::uint16_t code, std::string_view reason);

  /// What has to be written next, until taken by wrote(); empty when there is nothing.
  [[nodiscard]] std::string_view output();
  void wrote(std::size_t bytes) noexcept { m_written += bytes; }
  /// True when the close frame, this side's last one, has been written.
  [[nodiscard]] bool close_written() const noexcept;

 private:
  struct Head;
  struct Callbacks;
  static std::optional<Head> read_head(std::string_view bytes);
  [[nodiscard]] bool begin_frame(const Head& head);
  [[nodiscard]] bool begin_data(const Head& head);
  void take_control(unsigned opcode, std::string_view payload);
  void take_data(std::string_view piece, std::deque<Message>& messages);
  [[nodiscard]] bool is_text();
  void peer_closes(std::string_view payload);
  bool violation(std::uint16_t code, std::string_view what);
  void queue(unsigned opcode, std::string_view payload);

  std::size_t m_max_message;
  std::unique_ptr<wslay_event_context, void (*)(wslay_event_context*)> m_context;

  // What arrives.
  std::string m_held{};        ///< the beginning of a head, or of a control frame
  std::uint64_t m_left = 0;    ///< of a frame with data, its head included
  std::string_view m_input{};  ///< what the library may take
  std::optional<Message> m_message{};
  bool m_text_begins = false;  ///< the input begins with the head of a text
  bool m_complete = false;     ///< m_message
  std::size_t m_checked = 0;   ///< bytes of m_message that are UTF-8
  std::optional<Close> m_ended{};

  // What leaves.
  std::string m_output{};
  std::size_t m_written = 0;
  std::string m_sending{};  ///< a message that is sent in several frames
  std::size_t m_sent = 0;   ///< of m_sending
  std::optional<std::string> m_pong_due{};
  bool m_ping_due = false;
};

}  // namespace svc::websocket
