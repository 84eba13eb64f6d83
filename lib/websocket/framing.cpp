#include "websocket/framing.h"

#include <algorithm>
#include <new>
#include <stdexcept>
#include <system_error>
#include <utility>

#include <wslay/wslay.h>

#include "base/text.h"
#include "base/utf8.h"

namespace svc::websocket {
namespace {

constexpr std::size_t k_max_frame = 1U << 20U;
constexpr std::size_t k_output_size = 64U << 10U;
/// The maximum payload of a close, ping or pong frame.
constexpr std::size_t k_max_control_payload = 125;

/// Whether a close frame may contain this code (RFC 6455 §7.4, and codes registered since).
bool is_close_code(unsigned code) {
  if (code >= 3000 && code <= 4999) return true;
  return code >= 1000 && code <= 1014 && code != 1004 && code != k_no_status &&
         code != k_abnormal_closure;
}

/// Checks a result of the library. Once a close frame is queued it accepts no more messages, but
/// none is sent then.
void check(int result) {
  if (result == WSLAY_ERR_NOMEM) throw std::bad_alloc();
  if (result == WSLAY_ERR_CALLBACK_FAILURE) {
    throw std::runtime_error("no random numbers from the system");
  }
}

}  // namespace

/// A frame head as received from the peer.
struct Framing::Head {
  bool final = true;
  unsigned reserved = 0;  ///< the three reserved bits
  unsigned opcode = 0;    ///< any of sixteen
  bool masked = false;
  std::uint64_t length = 0;  ///< of the payload
  bool minimal = true;       ///< the length was encoded in its shortest form
  std::size_t size = 2;      ///< bytes of the head itself, without a mask

  [[nodiscard]] bool control() const noexcept { return wslay_is_ctrl_frame(opcode) != 0; }
};

/// The callbacks of the library. They must not throw.
struct Framing::Callbacks {
  static ssize_t read(wslay_event_context* context, std::uint8_t* out, std::size_t size, int,
                      void* self) noexcept {
    Framing& framing = *static_cast<Framing*>(self);
    const std::size_t count = framing.m_input.copy(reinterpret_cast<char*>(out), size);
    framing.m_input.remove_prefix(count);
    if (std::exchange(framing.m_text_begins, false))
      out[0] ^= WSLAY_TEXT_FRAME ^ WSLAY_BINARY_FRAME;
    return taken(context, count);
  }
  static ssize_t write(wslay_event_context* context, const std::uint8_t* bytes, std::size_t size,
                       int, void* self) noexcept {
    std::string& output = static_cast<Framing*>(self)->m_output;
    const std::size_t count = std::min(size, k_output_size - output.size());
    output.append(reinterpret_cast<const char*>(bytes), count);
    return taken(context, count);
  }
  static int mask(wslay_event_context*, std::uint8_t* out, std::size_t size, void*) noexcept {
    try {
      std::ranges::copy(random_bytes(size), out);
      return 0;
    } catch (const std::system_error&) {
      return -1;
    }
  }
  static void data(wslay_event_context*, const wslay_event_on_frame_recv_chunk_arg* chunk,
                   void* self) noexcept {
    static_cast<Framing*>(self)->m_message->data.append(reinterpret_cast<const char*>(chunk->data),
                                                        chunk->data_length);
  }
  static void message(wslay_event_context*, const wslay_event_on_msg_recv_arg*,
                      void* self) noexcept {
    static_cast<Framing*>(self)->m_complete = true;
  }
  /// The next frame of a long message.
  static ssize_t fragment(wslay_event_context*, std::uint8_t* out, std::size_t size,
                          const wslay_event_msg_source*, int* last, void* self) noexcept {
    Framing& framing = *static_cast<Framing*>(self);
    const std::size_t count =
        framing.m_sending.copy(reinterpret_cast<char*>(out), size, framing.m_sent);
    framing.m_sent += count;
    *last = framing.m_sent == framing.m_sending.size() ? 1 : 0;
    if (*last != 0) framing.m_sending = {};
    return static_cast<ssize_t>(count);
  }

 private:
  static ssize_t taken(wslay_event_context* context, std::size_t count) noexcept {
    if (count > 0) return static_cast<ssize_t>(count);
    wslay_event_set_error(context, WSLAY_ERR_WOULDBLOCK);
    return -1;
  }
};

Framing::Framing(std::size_t max_message)
    : m_max_message(max_message), m_context(nullptr, wslay_event_context_free) {
  const wslay_event_callbacks callbacks{.recv_callback = Callbacks::read,
                                        .send_callback = Callbacks::write,
                                        .genmask_callback = Callbacks::mask,
                                        .on_frame_recv_start_callback = nullptr,
                                        .on_frame_recv_chunk_callback = Callbacks::data,
                                        .on_frame_recv_end_callback = nullptr,
                                        .on_msg_recv_callback = Callbacks::message};
  m_output.reserve(k_output_size);
  wslay_event_context* context = nullptr;
  check(wslay_event_context_client_init(&context, &callbacks, this));
  m_context.reset(context);
  // Buffering would allocate the memory that a head declares.
  wslay_event_config_set_no_buffering(context, 1);
  wslay_event_config_set_max_recv_msg_length(context, max_message);
}

void Framing::receive(std::string_view bytes, std::deque<Message>& messages) {
  std::string joined;
  if (!m_partial.empty()) {
    joined = std::exchange(m_partial, {}).append(bytes);
    bytes = joined;
  }
  while (!m_ended && !bytes.empty()) {
    if (m_left == 0) {
      const auto head = read_head(bytes);
      if (head && !begin_frame(*head)) return;
      if (!head || (head->control() && bytes.size() < head->size + head->length)) {
        m_partial = bytes;
        return;
      }
      const std::size_t size = head->size + static_cast<std::size_t>(head->length);
      if (head->control()) {
        handle_control(head->opcode, bytes.substr(head->size, size - head->size));
        bytes.remove_prefix(size);
        continue;
      }
      m_left = size;
      // The library checks text byte by byte, which takes ten times as long as everything else.
      m_text_begins = head->opcode == WSLAY_TEXT_FRAME;
    }
    const std::string_view chunk = bytes.substr(0, std::min<std::uint64_t>(m_left, bytes.size()));
    bytes.remove_prefix(chunk.size());
    handle_data(chunk, messages);
  }
}

/// Parses the frame head at the start of `bytes`; nothing if it is incomplete.
std::optional<Framing::Head> Framing::read_head(std::string_view bytes) {
  if (bytes.size() < 2) return std::nullopt;
  const auto first = static_cast<unsigned char>(bytes[0]);
  const auto second = static_cast<unsigned char>(bytes[1]);
  Head head{.final = (first & 0x80U) != 0,
            .reserved = first >> 4U & 0x7U,
            .opcode = first & 0xFU,
            .masked = (second & 0x80U) != 0,
            .length = second & 0x7FU};
  const std::size_t extended_size = head.length == 126 ? 2 : head.length == 127 ? 8 : 0;
  if (extended_size == 0) return head;
  if (bytes.size() < 2 + extended_size) return std::nullopt;
  head.size += extended_size;
  head.length = 0;
  for (const char c : bytes.substr(2, extended_size)) {
    head.length = head.length << 8U | static_cast<unsigned char>(c);
  }
  head.minimal = head.length >= (extended_size == 2 ? 126U : 65'536U);
  return head;
}

/// Validates a head before the library does, which waits for the first byte of the payload and then
/// closes without a code.
bool Framing::begin_frame(const Head& head) {
  const bool known = head.opcode <= WSLAY_BINARY_FRAME ||
                     (head.opcode >= WSLAY_CONNECTION_CLOSE && head.opcode <= WSLAY_PONG);
  if (head.reserved != 0) return violation(k_protocol_error, "reserved bits are set");
  if (!known) return violation(k_protocol_error, "unknown frame type");
  if (head.masked) return violation(k_protocol_error, "a frame from the server is masked");
  if (!head.minimal)
    return violation(k_protocol_error, "a length is not encoded in its shortest form");
  if (head.length >> 63U != 0) return violation(k_protocol_error, "a length is out of range");
  if (!head.control()) return begin_data(head);
  if (!head.final) return violation(k_protocol_error, "a control frame is fragmented");
  if (head.length <= k_max_control_payload) return true;
  return violation(k_protocol_error, "a control frame is too long");
}

bool Framing::begin_data(const Head& head) {
  const bool continues = head.opcode == WSLAY_CONTINUATION_FRAME;
  if (continues != m_message.has_value())
    return violation(k_protocol_error,
                     continues ? "unexpected continuation" : "a message starts within another");
  if (!continues) {
    m_message = Message{.binary = head.opcode == WSLAY_BINARY_FRAME};
    m_checked = 0;
  }
  // Checks the declared length before any of the payload arrives.
  if (head.length > m_max_message - m_message->data.size())
    return violation(k_too_big, "a message is longer than " + format_bytes(m_max_message));
  return true;
}

/// Control frames are not passed to the library: it would answer every ping of a flood, misread a
/// close reason that arrives in chunks, and reject the codes 1012 to 1014.
void Framing::handle_control(unsigned opcode, std::string_view payload) {
  if (opcode == WSLAY_PING) m_pong_due = payload;
  if (opcode == WSLAY_CONNECTION_CLOSE) handle_close(payload);
}

void Framing::handle_data(std::string_view chunk, std::deque<Message>& messages) {
  std::string& data = m_message->data;
  make_room(data, chunk.size());
  m_input = chunk;
  check(wslay_event_recv(m_context.get()));
  m_left -= chunk.size();
  if (!m_message->binary && !is_text()) {
    violation(k_invalid_payload, "a text message is not valid UTF-8");
  } else if (std::exchange(m_complete, false)) {
    messages.push_back(*std::exchange(m_message, std::nullopt));
  }
}

/// Whether the message, or its start if it is incomplete, is valid UTF-8.
bool Framing::is_text() {
  const std::string_view rest = std::string_view(m_message->data).substr(m_checked);
  const auto bad = first_invalid_utf8(rest);
  m_checked += bad.value_or(rest.size());
  return !bad || (!m_complete && utf8::step(rest, *bad).validity == utf8::Validity::Truncated);
}

void Framing::handle_close(std::string_view payload) {
  Close end{.code = k_no_status};
  if (payload.size() == 1) {
    violation(k_protocol_error, "a close frame has an incomplete code");
    return;
  }
  if (payload.size() >= 2) {
    const unsigned code = static_cast<unsigned>(static_cast<unsigned char>(payload[0])) << 8U |
                          static_cast<unsigned char>(payload[1]);
    payload.remove_prefix(2);
    if (!is_close_code(code)) {
      violation(k_protocol_error, "a close frame has an invalid code");
      return;
    }
    if (first_invalid_utf8(payload)) {
      violation(k_invalid_payload, "the reason of a close frame is not valid UTF-8");
      return;
    }
    end.code = static_cast<std::uint16_t>(code);
    end.reason = payload;
  }
  // A peer that closes first receives its own code back (§5.5.1); a message being sent is
  // abandoned.
  close(end.code == k_no_status ? k_normal_closure : end.code, {});
  m_ended = std::move(end);
}

bool Framing::violation(std::uint16_t code, std::string_view what) {
  close(code, what);
  m_ended = Close{.code = code, .reason = std::string(what), .closed_locally = true};
  return false;
}

bool Framing::can_send() const noexcept {
  return wslay_event_get_write_enabled(m_context.get()) != 0 &&
         wslay_event_want_write(m_context.get()) == 0;
}

void Framing::send(Message message) {
  const std::uint8_t opcode = message.binary ? WSLAY_BINARY_FRAME : WSLAY_TEXT_FRAME;
  if (message.data.size() <= k_max_frame) return queue(opcode, message.data);
  m_sending = std::move(message.data);
  m_sent = 0;
  const wslay_event_fragmented_msg parts{opcode, {}, Callbacks::fragment};
  check(wslay_event_queue_fragmented_msg(m_context.get(), &parts));
}

void Framing::queue(unsigned opcode, std::string_view payload) {
  const wslay_event_msg whole{static_cast<std::uint8_t>(opcode),
                              reinterpret_cast<const std::uint8_t*>(payload.data()),
                              payload.size()};
  check(wslay_event_queue_msg(m_context.get(), &whole));
}

void Framing::close(std::uint16_t code, std::string_view reason) {
  constexpr std::size_t room = k_max_control_payload - 2;
  const std::string said = reason.size() <= room ? std::string(reason) : excerpt(reason, room - 3);
  check(wslay_event_queue_close(m_context.get(), code,
                                reinterpret_cast<const std::uint8_t*>(said.data()), said.size()));
}

std::string_view Framing::output() {
  if (m_written < m_output.size()) return std::string_view(m_output).substr(m_written);
  m_output.clear();
  m_written = 0;
  if (m_pong_due) queue(WSLAY_PONG, *std::exchange(m_pong_due, {}));
  if (std::exchange(m_ping_due, false)) queue(WSLAY_PING, {});
  check(wslay_event_send(m_context.get()));
  return m_output;
}

bool Framing::close_written() const noexcept {
  return wslay_event_get_close_sent(m_context.get()) != 0 && m_written == m_output.size();
}

}  // namespace svc::websocket
