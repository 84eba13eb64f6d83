#include "support/fault_connection.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/text.h"
#include "support/fault_frames.h"

namespace svc::test {

void FaultConnection::run() {
  m_handshake_done = m_stream.handshake();
  report(false);
  if (m_handshake_done) {
    bool alive = true;
    auto steps = m_state.take_unasked(m_number);
    while (alive) {
      if (!steps) {
        if (m_buffer.empty() && !fill()) break;
        steps = m_state.take(m_number);
      }
      if (!steps) {  // a request beyond the script: record it and do not respond
        if (read_head()) (void)read_body();
        break;
      }
      alive = exchange(*steps);
      steps.reset();
    }
  }
  const bool client_closed = m_stream.peer_closed();
  m_stream.close();
  m_state.update(m_number,
                 {m_stream.received(), m_stream.sent(), m_handshake_done, client_closed, true});
}

void FaultConnection::report(bool closed) {
  m_state.update(m_number, {m_stream.received(), m_stream.sent(), m_handshake_done,
                            m_stream.peer_closed(), closed});
}

bool FaultConnection::exchange(const ExchangeScript& steps) {
  m_request.reset();
  for (const Step& each : steps) {
    const bool go_on = step(each);
    report(false);
    if (!go_on) return false;
  }
  return true;
}

bool FaultConnection::step(const Step& step) {
  switch (step.kind) {
    case Step::Kind::Read:
      return read_head() && read_body();
    case Step::Kind::ReadHead:
      return read_head();
    case Step::Kind::ReadBody:
      return read_body();
    case Step::Kind::ReadCount:
      return (m_request || read_head()) && read_counted(step.count);
    case Step::Kind::ReadH2:
      return read_h2();
    case Step::Kind::ReadFrame:
      return read_frame(false).has_value();
    case Step::Kind::ReadFrames:
      return read_frames(false);
    case Step::Kind::Echo:
      return read_frames(true);
    case Step::Kind::Reply:
      return reply(step);
    case Step::Kind::Send:
      return write(with_port(step.bytes), step.chunked);
    case Step::Kind::Bytewise:
      return bytewise(step);
    case Step::Kind::Repeat:
      return repeat(step);
    case Step::Kind::Sleep:
      return m_stream.sleep(step.delay);
    case Step::Kind::HalfClose:
      m_stream.half_close();
      return true;
    case Step::Kind::Close:
      m_stream.close();
      return false;
    case Step::Kind::Cut:
      m_stream.cut();
      return false;
    case Step::Kind::Reset:
      m_stream.reset();
      return false;
    case Step::Kind::Hang:
      drop_everything();
      return false;
    case Step::Kind::Stall:
      m_stream.wait_closed();
      return false;
  }
  return false;
}

bool FaultConnection::reply(const Step& step) {
  const std::string body = with_port(step.bytes);
  std::string bytes = with_port(step.head);
  if (step.count == 0) bytes += fmt::format("Content-Length: {}\r\n", body.size());
  return write(bytes + "\r\n" + body, false);
}

bool FaultConnection::write(std::string bytes, bool chunked) {
  if (chunked) bytes = fmt::format("{:x}\r\n", bytes.size()) + bytes + "\r\n";
  return m_stream.write(bytes);
}

bool FaultConnection::bytewise(const Step& step) {
  const std::string bytes = with_port(step.bytes);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (i > 0 && step.delay.count() > 0 && !m_stream.sleep(step.delay)) return false;
    if (!write(std::string(1, bytes[i]), step.chunked)) return false;
  }
  return true;
}

bool FaultConnection::repeat(const Step& step) {
  std::string unit = with_port(step.bytes);
  if (step.chunked) unit = fmt::format("{:x}\r\n", unit.size()) + unit + "\r\n";
  // Batches repetitions, so that a million events do not take a million calls.
  const std::uint64_t per_write = std::max<std::uint64_t>(1, 262'144 / unit.size());
  std::string block;
  for (std::uint64_t i = 0; i < std::min(per_write, step.count); ++i) block += unit;
  std::uint64_t left = step.count;
  for (; left >= per_write; left -= per_write) {
    if (!m_stream.write(block)) return false;
  }
  return m_stream.write(std::string_view(block).substr(0, left * unit.size()));
}

void FaultConnection::drop_everything() {
  m_buffer.clear();
  std::array<char, 65536> buffer{};
  while (m_stream.read(buffer.data(), buffer.size()) > 0) {
  }
}

bool FaultConnection::fill() {
  std::array<char, 65536> buffer{};
  const std::size_t count = m_stream.read(buffer.data(), buffer.size());
  m_buffer.append(buffer.data(), count);
  return count > 0;
}

std::optional<std::string> FaultConnection::read_line() {
  std::size_t end = 0;
  std::size_t searched = 0;
  while ((end = m_buffer.find("\r\n", searched)) == std::string::npos) {
    searched = m_buffer.empty() ? 0 : m_buffer.size() - 1;
    if (!fill()) return std::nullopt;
  }
  std::string line = m_buffer.substr(0, end);
  m_buffer.erase(0, end + 2);
  return line;
}

bool FaultConnection::read_head() {
  const auto first = read_line();
  if (!first) return false;
  RecordedRequest request{.connection = m_number};
  const auto words = split(*first, ' ');
  request.method = words[0];
  if (words.size() > 1) request.target = words[1];
  m_body_left = 0;
  m_chunked_body = false;
  for (;;) {
    const auto line = read_line();
    if (!line) return false;
    if (line->empty()) break;
    const std::size_t colon = std::min(line->find(':'), line->size() - 1);
    Header header{line->substr(0, colon), std::string(trim(line->substr(colon + 1)))};
    if (equals_ignore_case(header.name, "content-length"))
      m_body_left = static_cast<std::uint64_t>(parse_integer(header.value).value_or(0));
    if (equals_ignore_case(header.name, "transfer-encoding")) m_chunked_body = true;
    if (equals_ignore_case(header.name, "sec-websocket-key"))
      m_accept = websocket_accept(header.value);
    request.headers.push_back(std::move(header));
  }
  m_request = m_state.add_request(std::move(request));
  return true;
}

bool FaultConnection::read_body() {
  if (!m_request) return true;
  if (m_chunked_body) return read_chunks();
  return read_counted(m_body_left.value_or(0));
}

/// Reads at least `count` bytes of the body, or all of it if it is shorter.
bool FaultConnection::read_counted(std::uint64_t count) {
  std::uint64_t wanted = m_chunked_body ? count : std::min(count, m_body_left.value_or(0));
  while (wanted > 0) {
    if (m_buffer.empty() && !fill()) return false;
    const std::size_t piece = std::min<std::uint64_t>(wanted, m_buffer.size());
    m_state.add_body(*m_request, std::string_view(m_buffer).substr(0, piece));
    m_buffer.erase(0, piece);
    wanted -= piece;
    if (m_body_left) *m_body_left -= std::min<std::uint64_t>(*m_body_left, piece);
  }
  return true;
}

bool FaultConnection::read_chunks() {
  for (;;) {
    const auto line = read_line();
    if (!line) return false;
    std::uint64_t size = 0;
    for (const char c : *line) {
      const std::string_view digits = "0123456789abcdef";
      const std::size_t digit = digits.find(static_cast<char>(std::tolower(c)));
      if (digit == std::string_view::npos) break;
      size = size * 16 + digit;
    }
    if (size == 0) break;
    if (!read_counted(size) || !read_line()) return false;
  }
  for (;;) {  // trailers
    const auto line = read_line();
    if (!line) return false;
    if (line->empty()) return true;
  }
}

/// Reads frames up to a complete header block: enough to recognise a request.
bool FaultConnection::read_h2() {
  constexpr std::size_t k_preface = 24;
  constexpr std::size_t k_frame_head = 9;
  const auto need = [this](std::size_t size) {
    while (m_buffer.size() < size) {
      if (!fill()) return false;
    }
    return true;
  };
  if (!m_preface_read) {
    if (!need(k_preface)) return false;
    m_buffer.erase(0, k_preface);
    m_preface_read = true;
  }
  for (;;) {
    if (!need(k_frame_head)) return false;
    const auto byte = [this](std::size_t at) { return static_cast<unsigned char>(m_buffer[at]); };
    const std::size_t size = static_cast<std::size_t>(byte(0)) << 16U |
                             static_cast<std::size_t>(byte(1)) << 8U | byte(2);
    const bool headers = byte(3) == 1 && (byte(4) & 4U) != 0;
    if (!need(k_frame_head + size)) return false;
    m_buffer.erase(0, k_frame_head + size);
    if (!headers) continue;
    m_request = m_state.add_request({.connection = m_number, .method = "H2"});
    return true;
  }
}

std::optional<unsigned> FaultConnection::read_frame(bool echo) {
  auto frame = read_client_frame(m_buffer);
  for (; !frame; frame = read_client_frame(m_buffer)) {
    if (!fill()) return std::nullopt;
  }
  m_buffer.erase(0, frame->size);
  if (m_request) m_state.add_body(*m_request, frame->record + "\n");
  if (echo && frame->opcode <= 8) {
    const std::string kind = fmt::format("{}{} ", frame->final ? "" : "more ", frame->opcode);
    const std::string back = frame->opcode == 8 ? "close 1000" : kind + frame->payload;
    if (!m_stream.write(frame_bytes(back).value_or(""))) return std::nullopt;
  }
  return frame->opcode;
}

/// Reads frames up to the client's close frame.
bool FaultConnection::read_frames(bool echo) {
  while (true) {
    const auto opcode = read_frame(echo);
    if (!opcode) return false;
    if (*opcode == 8) return true;
  }
}

std::string FaultConnection::with_port(const std::string& text) const {
  if (text.find("${") == std::string::npos) return text;
  return replace_all(replace_all(text, "${PORT}", m_state.port_text()), "${ACCEPT}", m_accept);
}

}  // namespace svc::test
