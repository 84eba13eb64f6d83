// `svc api --socket PATH`: a WebSocket by hand, lines or bytes in and out.
#include "commands/api_socket.h"

#include <cerrno>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "base/base64.h"
#include "base/json_text.h"
#include "base/text.h"
#include "client/reply_json.h"
#include "print/json.h"
#include "run.h"
#include "socket.h"

namespace svc::cli {
namespace {

using websocket::Arrival;
using websocket::Channel;
using websocket::Message;

constexpr std::size_t k_longest_line = 32U << 20U;
constexpr std::size_t k_piece = 32U << 10U;  ///< of bytes that are sent as they come
/// The only member of a line that stands for a binary message, as base64.
constexpr const char* k_binary = "binary";

/// A binary message as a line, and a line as one; nothing for every other line.
std::string binary_line(std::string_view bytes) {
  return fmt::format(R"({{"{}":"{}"}})", k_binary, base64_encode(bytes));
}

std::optional<std::string> binary_of(std::string_view line) {
  if (!trim(line).starts_with("{\"binary\"")) return std::nullopt;
  const nlohmann::json parsed = parse_reply(line);
  if (!parsed.is_object() || parsed.size() != 1 || !parsed.contains(k_binary)) return std::nullopt;
  const auto& text = parsed.at(k_binary);
  return text.is_string() ? base64_decode(text.get_ref<const std::string&>()) : std::nullopt;
}

/// Standard input as messages.
class Input {
 public:
  Input(bool lines, bool ignored) : m_lines(lines), m_ended(ignored) {}

  [[nodiscard]] bool ended() const noexcept { return m_ended && !m_next; }
  /// Whether its descriptor is worth waiting for.
  [[nodiscard]] bool wants() const noexcept { return !m_ended && !m_next; }

  /// The message that waits to be sent, or null.
  [[nodiscard]] const std::optional<Message>& next() const noexcept { return m_next; }
  Result<void> taken() {
    m_next.reset();
    return cut();
  }

  /// Reads what is there.
  Result<void> read() {
    std::string piece(k_piece, '\0');
    const ssize_t count = ::read(STDIN_FILENO, piece.data(), piece.size());
    if (count < 0 && (errno == EINTR || errno == EAGAIN)) return {};
    if (count < 0 && errno != EBADF) return system_error("standard input cannot be read", errno);
    if (count <= 0) m_ended = true;
    if (count > 0) m_buffer.append(piece, 0, static_cast<std::size_t>(count));
    return cut();
  }

 private:
  Result<void> cut() {
    if (!m_lines) {
      if (!m_buffer.empty()) m_next = Message{.binary = true, .data = std::move(m_buffer)};
      m_buffer.clear();
      return {};
    }
    while (!m_next) {
      std::size_t end = m_buffer.find('\n', m_begin);
      if (end == std::string::npos && m_ended && m_begin < m_buffer.size()) end = m_buffer.size();
      if (end == std::string::npos) break;
      SVC_CHECK(take_line(std::string_view(m_buffer).substr(m_begin, end - m_begin)));
      m_begin = end + 1;
    }
    if (m_next) return {};
    m_buffer.erase(0, std::min(m_begin, m_buffer.size()));
    m_begin = 0;
    if (m_buffer.size() <= k_longest_line) return {};
    return usage_error(fmt::format("line {} of standard input is longer than {}", m_number + 1,
                                   format_bytes(k_longest_line)));
  }

  Result<void> take_line(std::string_view line) {
    ++m_number;
    if (m_number == 1 && line.starts_with("\xEF\xBB\xBF")) line.remove_prefix(3);
    line = trim(line);
    if (line.empty()) return {};
    if (first_invalid_utf8(line)) {
      return usage_error(fmt::format("line {} of standard input is not UTF-8 text", m_number),
                         "--send binary sends bytes as they are.");
    }
    auto bytes = binary_of(line);
    m_next = bytes ? Message{.binary = true, .data = *std::move(bytes)}
                   : Message{.data = std::string(line)};
    return {};
  }

  bool m_lines;
  bool m_ended;
  std::string m_buffer{};
  std::size_t m_begin = 0;  ///< of the next line
  std::size_t m_number = 0;
  std::optional<Message> m_next{};
};

/// Messages on their way out.
class Output {
 public:
  Output(Session& session, bool bytes)
      : m_session(session), m_bytes(bytes), m_array(session.out()) {}

  Result<void> message(bool binary, const std::string& data) {
    SVC_CHECK(m_bytes ? as_bytes(binary, data) : document(binary ? binary_line(data) : data));
    return m_session.out().flush();
  }

  Result<void> finish() {
    if (is_array()) SVC_CHECK(m_array.finish());
    return m_session.out().flush();
  }

 private:
  [[nodiscard]] bool is_array() const {
    return !m_bytes && m_session.format() == Format::Json && !m_session.globals().jq;
  }

  Result<void> as_bytes(bool binary, const std::string& data) {
    if (!binary) {
      m_session.notices().aside(data);
      return {};
    }
    if (m_session.out().terminal().is_tty) {
      return Error{Fault::Local, "a binary message is not written to a terminal",
                   "Save it with -o FILE, send it through a pipe, or leave --receive out."};
    }
    return m_session.out().write(data);
  }

  Result<void> document(const std::string& text) {
    if (m_session.format() == Format::Raw || check_json(text)) {
      SVC_CHECK(m_session.write_foreign(text));
      return m_session.out().write("\n");
    }
    if (is_array()) return m_array.add(text);
    if (m_session.globals().jq) return m_session.write_document(text);
    return print::JsonLines(m_session.out()).print(text);
  }

  Session& m_session;
  bool m_bytes;
  print::JsonArray m_array;
};

class SocketRun {
 public:
  SocketRun(Session& session, Channel& channel)
      : m_session(session),
        m_channel(channel),
        m_input(session.invocation().value("send") != "binary",
                session.globals().no_stdin || session.environment()("SVC_NO_STDIN") == "1"),
        m_output(session, session.invocation().value("receive") == "binary") {
    if (const auto time = session.invocation().value("linger")) m_linger = parse_duration(*time);
  }

  Result<void> run() {
    Result<void> ended = loop();
    if (!ended && ended.error().fault != Fault::ReaderGone) (void)m_output.finish();
    return ended;
  }

 private:
  Result<void> loop() {
    while (true) {
      SVC_CHECK(send());
      const auto got =
          m_channel.receive(m_session.stop(), deadline(), m_input.wants() ? STDIN_FILENO : -1);
      if (!got) return say_goodbye(got.error());
      switch (got->what) {
        case Arrival::Text:
        case Arrival::Binary:
          m_last = Channel::Clock::now();
          SVC_CHECK(m_output.message(got->what == Arrival::Binary, got->data));
          break;
        case Arrival::Ready:
          SVC_CHECK(m_input.read());
          break;
        case Arrival::Closed:
          return finish(got->close);
        case Arrival::Woken:
        case Arrival::Nothing:
          break;
      }
      if (is_over()) m_channel.close();
    }
  }

  /// Hands in what waits, as far as the queue takes it.
  Result<void> send() {
    while (m_input.next()) {
      if (!m_channel.send(*m_input.next())) return {};
      m_last = Channel::Clock::now();
      SVC_CHECK(m_input.taken());
    }
    return {};
  }

  [[nodiscard]] std::optional<Channel::Clock::time_point> deadline() const {
    // A full queue empties without a word: look again soon.
    if (m_input.next()) return Channel::Clock::now() + std::chrono::milliseconds(20);
    if (m_linger && m_input.ended()) return m_last + *m_linger;
    return std::nullopt;
  }

  [[nodiscard]] bool is_over() const {
    return m_linger && m_input.ended() && m_channel.queued() == 0 &&
           Channel::Clock::now() - m_last >= *m_linger;
  }

  Result<void> finish(const websocket::Close& close) {
    SVC_CHECK(m_output.finish());
    const bool normal = close.code == websocket::k_normal_closure || close.code == 1001 ||
                        close.code == websocket::k_no_status;
    if (normal) return {};
    return websocket::close_error(close);
  }

  /// The peer is told, but not waited for.
  Error say_goodbye(Error reason) {
    m_channel.close(1001);
    const NoStop nobody;
    (void)m_channel.receive(nobody, Channel::Clock::now() + std::chrono::milliseconds(50));
    return reason;
  }

  Session& m_session;
  Channel& m_channel;
  Input m_input;
  Output m_output;
  std::optional<std::chrono::milliseconds> m_linger{};
  Channel::Clock::time_point m_last = Channel::Clock::now();
};

}  // namespace

Result<void> run_api_socket(Session& session, const std::string& path) {
  const Invocation& invocation = session.invocation();
  const Operation operation{.group = "api",
                            .name = "",
                            .method = "GET",
                            .path = path,
                            .summary = "",
                            .host = Host::Realtime,
                            .reply = Reply::Socket};
  request::Inputs inputs;
  inputs.headers = invocation.inputs.headers;
  SVC_TRY(request, prepare(session, operation, inputs));
  websocket::OpenRequest open{.headers = request.headers};
  for (const request::Given& given : invocation.inputs.given) {
    if (given.field->flag == "subprotocol") open.subprotocols.push_back(given.text);
  }
  if (session.globals().dry_run || session.globals().curl) {
    request.operation = &operation;
    return show_socket(session, std::move(request));
  }
  SVC_TRY(channel, open_socket(session, path, std::move(open)));
  return SocketRun(session, *channel).run();
}

}  // namespace svc::cli
