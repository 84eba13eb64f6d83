#include "websocket/protocol.h"

#include <algorithm>
#include <utility>

#include "base/text.h"

namespace svc::websocket {
namespace {

constexpr std::size_t k_largest_frame = 1U << 20U;

bool is_control(std::uint8_t opcode) {
  return opcode >= 0x8;
}

bool is_known(std::uint8_t opcode) {
  return opcode <= 0x2 || (opcode >= 0x8 && opcode <= 0xA);
}

/// What may stand in a close frame (RFC 6455 §7.4, and the codes registered since).
bool is_close_code(unsigned code) {
  if (code >= 3000 && code <= 4999) return true;
  return code >= 1000 && code <= 1014 && code != 1004 && code != k_no_status &&
         code != k_abnormal_closure;
}

}  // namespace

void Protocol::receive(std::string_view bytes, std::deque<Message>& messages) {
  while (!m_ended && take_frame(bytes, messages)) {
  }
}

/// One frame, or as much of it as is there. False when there is nothing more to do.
bool Protocol::take_frame(std::string_view& bytes, std::deque<Message>& messages) {
  if (!m_frame) {
    if (bytes.empty()) return false;
    // A head is short: byte by byte, so that nothing of the payload is taken for it.
    std::optional<FrameHead> head;
    while (!head && !bytes.empty()) {
      m_head += bytes.front();
      bytes.remove_prefix(1);
      head = read_frame_head(m_head);
    }
    if (!head) return false;
    m_head.clear();
    m_left = head->length;
    if (!begin_frame(*head)) return false;
    m_frame = head;
  }
  const std::string_view piece =
      bytes.substr(0, static_cast<std::size_t>(std::min<std::uint64_t>(m_left, bytes.size())));
  bytes.remove_prefix(piece.size());
  m_left -= piece.size();
  if (!take_payload(piece)) return false;
  if (m_left > 0) return false;
  return end_frame(messages);
}

bool Protocol::begin_frame(const FrameHead& head) {
  if (head.reserved != 0) return violation(k_protocol_error, "reserved bits are set");
  if (!is_known(head.opcode)) return violation(k_protocol_error, "an unknown kind of frame");
  if (head.masked) return violation(k_protocol_error, "the frame of a server is masked");
  if (!head.minimal) return violation(k_protocol_error, "a length is not in its shortest form");
  if (head.length >> 63U != 0) return violation(k_protocol_error, "a length is out of range");
  if (!is_control(head.opcode)) return begin_data(head);
  if (!head.final) return violation(k_protocol_error, "a control frame is fragmented");
  if (head.length > k_max_control_payload)
    return violation(k_protocol_error, "a control frame is too long");
  m_control.clear();
  return true;
}

bool Protocol::begin_data(const FrameHead& head) {
  const bool continues = head.opcode == static_cast<std::uint8_t>(Opcode::Continuation);
  if (continues != m_message.has_value())
    return violation(k_protocol_error,
                     continues ? "a continuation of nothing" : "a message begins within another");
  if (!continues) {
    m_message = Message{.binary = head.opcode == static_cast<std::uint8_t>(Opcode::Binary)};
    m_utf8 = {};
  }
  // Judged by what is declared, before any of it arrives; memory is taken by what arrives.
  if (head.length > m_max_message - m_message->data.size())
    return violation(k_too_big, "a message is longer than " + format_bytes(m_max_message));
  return true;
}

bool Protocol::take_payload(std::string_view piece) {
  if (is_control(m_frame->opcode)) {
    m_control += piece;
    return true;
  }
  if (!m_message->binary && !m_utf8.feed(piece))
    return violation(k_invalid_payload, "a text message is not UTF-8");
  m_message->data += piece;
  return true;
}

bool Protocol::end_frame(std::deque<Message>& messages) {
  const FrameHead head = *std::exchange(m_frame, std::nullopt);
  if (!is_control(head.opcode)) return !head.final || end_message(messages);
  switch (static_cast<Opcode>(head.opcode)) {
    case Opcode::Ping:
      m_pong_due = std::move(m_control);
      break;
    case Opcode::Close:
      peer_closes(m_control);
      break;
    default:
      break;
  }
  return true;
}

bool Protocol::end_message(std::deque<Message>& messages) {
  if (!m_message->binary && !m_utf8.complete())
    return violation(k_invalid_payload, "a text message ends within a character");
  messages.push_back(*std::exchange(m_message, std::nullopt));
  return true;
}

void Protocol::peer_closes(std::string_view payload) {
  Close close{.code = k_no_status};
  if (payload.size() == 1) {
    violation(k_protocol_error, "a close frame has half a code");
    return;
  }
  if (payload.size() >= 2) {
    const auto high = static_cast<unsigned char>(payload[0]);
    const auto low = static_cast<unsigned char>(payload[1]);
    const unsigned code = static_cast<unsigned>(high) << 8U | low;
    payload.remove_prefix(2);
    if (!is_close_code(code)) {
      violation(k_protocol_error, "a close frame has a code that does not exist");
      return;
    }
    if (first_invalid_utf8(payload)) {
      violation(k_invalid_payload, "the reason of a close frame is not UTF-8");
      return;
    }
    close.code = static_cast<std::uint16_t>(code);
    close.reason = payload;
  }
  // Who closed first hears its own code back (§5.5.1); a message under way is not finished.
  m_sending.reset();
  send_close(close.code == k_no_status ? k_normal_closure : close.code, {});
  m_ended = std::move(close);
}

bool Protocol::violation(std::uint16_t code, std::string_view what) {
  m_sending.reset();
  send_close(code, what);
  m_ended = Close{.code = code, .reason = std::string(what), .ours = true};
  return false;
}

void Protocol::send(Message message) {
  m_sending = std::move(message);
  m_sent = 0;
}

void Protocol::close(std::uint16_t code, std::string_view reason) {
  if (m_close_sent || m_close_due) return;
  m_close_due = Close{.code = code, .reason = std::string(reason), .ours = true};
}

void Protocol::send_close(std::uint16_t code, std::string_view reason) {
  if (m_close_sent) return;
  m_close_sent = true;
  std::string payload{static_cast<char>(code >> 8U), static_cast<char>(code & 0xFFU)};
  constexpr std::size_t room = k_max_control_payload - 2;
  payload += reason.size() <= room ? std::string(reason) : excerpt(reason, room - 3);
  append_frame(m_output, Opcode::Close, true, payload);
}

void Protocol::compose_data() {
  const std::string_view rest = std::string_view(m_sending->data).substr(m_sent);
  const std::string_view piece = rest.substr(0, k_largest_frame);
  const Opcode first = m_sending->binary ? Opcode::Binary : Opcode::Text;
  const bool last = piece.size() == rest.size();
  append_frame(m_output, m_sent == 0 ? first : Opcode::Continuation, last, piece);
  m_sent += piece.size();
  if (last) m_sending.reset();
}

std::string_view Protocol::output() {
  if (m_written < m_output.size()) return std::string_view(m_output).substr(m_written);
  m_output.clear();
  if (m_output.capacity() > 2 * k_largest_frame) m_output.shrink_to_fit();
  m_written = 0;
  if (m_close_sent) return {};
  if (m_pong_due) append_frame(m_output, Opcode::Pong, true, *std::exchange(m_pong_due, {}));
  if (std::exchange(m_ping_due, false)) append_frame(m_output, Opcode::Ping, true, {});
  if (m_sending) {
    compose_data();
  } else if (m_close_due) {
    send_close(m_close_due->code, m_close_due->reason);
  }
  return m_output;
}

}  // namespace svc::websocket
