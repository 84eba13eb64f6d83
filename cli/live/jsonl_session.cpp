#include "live/jsonl_session.h"

#include <algorithm>
#include <cerrno>
#include <deque>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "base/base64.h"
#include "base/counted.h"
#include "base/text.h"
#include "client/api_error.h"
#include "json/document.h"
#include "json/text.h"
#include "live/live_channel.h"

namespace svc::cli {
namespace {

using websocket::Message;
using websocket::ReceivedKind;
using websocket::WebSocket;

constexpr std::size_t k_max_line = 32U << 20U;
constexpr std::size_t k_piece = 32U << 10U;  ///< with --send binary, size of a read
/// The only field of a line that represents a binary message, in base64.
constexpr const char* k_binary = "binary";

/// The bytes of such a line; nothing for any other line.
std::optional<std::string> binary_of(std::string_view line) {
  if (!line.starts_with('{') || !trim(line.substr(1)).starts_with("\"binary\"")) {
    return std::nullopt;
  }
  const nlohmann::json parsed = parse_reply(line);
  if (!parsed.is_object() || parsed.size() != 1 || !parsed.contains(k_binary)) return std::nullopt;
  const auto& text = parsed.at(k_binary);
  return text.is_string() ? base64_decode(text.get_ref<const std::string&>()) : std::nullopt;
}

/// Why a line is not a JSON object; "" if it is one.
std::string object_fault(std::string_view line) {
  const auto fault = check_json(line);
  if (!fault) return line.starts_with('{') ? std::string() : "is not a JSON object";
  return fmt::format("is not JSON: {}", describe(*fault));
}

/// Reads standard input as WebSocket messages.
class JsonlReader {
 public:
  /// Both must outlive this.
  JsonlReader(Session& session, const JsonlSessionOptions& options)
      : m_session(session), m_options(options), m_ended(session.ignores_stdin()) {}

  [[nodiscard]] bool ended() const noexcept { return m_ended && !m_next; }

  /// Whether to wait for its descriptor.
  [[nodiscard]] bool wants() const noexcept { return !m_ended && !m_next; }

  /// Number of lines skipped.
  [[nodiscard]] std::size_t left_out() const noexcept { return m_left_out; }

  /// The message waiting to be sent, or nothing.
  [[nodiscard]] const std::optional<websocket::Message>& next() const noexcept { return m_next; }

  [[nodiscard]] Result<void> taken() {
    m_next.reset();
    return cut();
  }

  /// Reads the available input.
  [[nodiscard]] Result<void> read() {
    std::string piece(k_piece, '\0');
    const ssize_t count = ::read(STDIN_FILENO, piece.data(), piece.size());
    if (count < 0 && (errno == EINTR || errno == EAGAIN)) return {};
    if (count < 0 && errno != EBADF) return system_error("cannot read standard input", errno);
    if (count <= 0) m_ended = true;
    if (count > 0) m_buffer.append(piece, 0, static_cast<std::size_t>(count));
    return cut();
  }

 private:
  Result<void> cut() {
    if (m_options.send_bytes) {
      if (!m_buffer.empty()) m_next = Message{.binary = true, .data = std::exchange(m_buffer, {})};
      return {};
    }
    while (!m_next) {
      std::size_t end = m_buffer.find('\n', m_begin);
      if (end == std::string::npos && m_ended && m_begin < m_buffer.size()) end = m_buffer.size();
      if (end == std::string::npos) break;
      SVC_CHECK(receive_line(std::string_view(m_buffer).substr(m_begin, end - m_begin)));
      m_begin = end + 1;
    }
    if (m_next) return {};
    m_buffer.erase(0, std::min(m_begin, m_buffer.size()));
    m_begin = 0;
    if (m_buffer.size() <= k_max_line) return {};
    return usage_error(fmt::format("line {} of standard input is longer than {}", m_number + 1,
                                   format_bytes(k_max_line)));
  }

  Result<void> receive_line(std::string_view line) {
    ++m_number;
    if (m_number == 1 && line.starts_with("\xEF\xBB\xBF")) line.remove_prefix(3);
    line = trim(line);
    if (line.empty()) return {};
    const bool text = !first_invalid_utf8(line);
    if (!text && !m_options.json_lines) {
      return usage_error(fmt::format("line {} of standard input is not UTF-8 text", m_number),
                         "Use --send binary to send raw bytes.");
    }
    const std::string fault = !m_options.json_lines ? std::string()
                              : text                ? object_fault(line)
                                                    : std::string("is not UTF-8 text");
    if (!fault.empty()) {
      ++m_left_out;
      m_session.notices().warning(
          fmt::format("line {} of standard input {}; skipped", m_number, fault));
      return {};
    }
    auto bytes = binary_of(line);
    m_next = bytes ? Message{.binary = true, .data = *std::move(bytes)}
                   : Message{.data = std::string(line)};
    return {};
  }

  Session& m_session;
  const JsonlSessionOptions& m_options;
  bool m_ended;
  std::string m_buffer{};
  std::size_t m_begin = 0;  ///< of the next line
  std::size_t m_number = 0;
  std::size_t m_left_out = 0;
  std::optional<websocket::Message> m_next{};
};

class JsonlSession {
 public:
  JsonlSession(Session& session, WebSocket& channel, JsonlSessionOptions options,
               JsonlObserver* watch)
      : m_session(session),
        m_channel(channel),
        m_options(std::move(options)),
        m_watch(watch),
        m_first(m_options.first.begin(), m_options.first.end()),
        m_input(session, m_options),
        m_output(session, m_options.receive_bytes),
        m_until(end_of(session)) {}

  Result<void> run() {
    Result<void> ended = loop();
    if (!ended && ended.error().fault != Fault::ReaderGone) (void)m_output.finish();
    if (!ended || m_input.left_out() == 0) return ended;
    return usage_error(
        fmt::format("{} not sent", counted(m_input.left_out(), "line of standard input was",
                                           "lines of standard input were")),
        "Each line must be a JSON object, such as {\"type\":\"response.create\"}.");
  }

 private:
  Result<void> loop() {
    while (true) {
      SVC_CHECK(send());
      const auto got = m_channel.receive(m_session.cancel_token(), deadline(),
                                         m_input.wants() ? STDIN_FILENO : -1);
      if (!got) {
        say_goodbye(m_channel, 1001);
        return got.error();
      }
      switch (got->what) {
        case ReceivedKind::Text:
        case ReceivedKind::Binary:
          m_last = WebSocket::Clock::now();
          if (m_watch != nullptr && got->what == ReceivedKind::Text) m_watch->arrived(got->data);
          SVC_CHECK(m_output.message(got->what == ReceivedKind::Binary, got->data));
          break;
        case ReceivedKind::Ready:
          SVC_CHECK(m_input.read());
          break;
        case ReceivedKind::Closed:
          return finish(got->close);
        case ReceivedKind::Woken:
        case ReceivedKind::Nothing:
          break;
      }
      if (is_over()) m_channel.close();
      if (m_until && WebSocket::Clock::now() >= *m_until) {
        say_goodbye(m_channel, 1001);
        return Error{Fault::Timeout, fmt::format("the session did not end within {}",
                                                 m_session.settings().timeout.value)};
      }
    }
  }

  /// A session may last for hours: only a timeout that the user set ends it.
  static std::optional<WebSocket::Clock::time_point> end_of(const Session& session) {
    if (session.settings().timeout.origin == Origin::BuiltIn) return std::nullopt;
    return WebSocket::Clock::now() + timeouts_of(session.settings()).total;
  }

  /// Queues pending messages as far as there is room.
  Result<void> send() {
    while (!m_first.empty() && hand_in(Message{.data = m_first.front()})) m_first.pop_front();
    while (m_first.empty() && m_input.next()) {
      if (!hand_in(*m_input.next())) return {};
      SVC_CHECK(m_input.taken());
    }
    return {};
  }

  bool hand_in(const Message& message) {
    if (!m_channel.send(message)) return false;
    m_last = WebSocket::Clock::now();
    if (m_watch != nullptr && !message.binary) m_watch->sent(message.data);
    return true;
  }

  [[nodiscard]] bool waits_for_room() const { return !m_first.empty() || m_input.next(); }

  /// Whether the session is only waiting for the linger time to pass.
  [[nodiscard]] bool is_quiet_awaited() const {
    return m_options.linger && m_input.ended() && (m_watch == nullptr || !m_watch->busy());
  }

  [[nodiscard]] std::optional<WebSocket::Clock::time_point> deadline() const {
    // A full queue gives no notification when it drains, so check again soon.
    if (waits_for_room()) return WebSocket::Clock::now() + std::chrono::milliseconds(20);
    if (!is_quiet_awaited()) return m_until;
    const auto quiet = m_last + *m_options.linger;
    return m_until ? std::min(*m_until, quiet) : quiet;
  }

  [[nodiscard]] bool is_over() const {
    return is_quiet_awaited() && m_channel.queued() == 0 &&
           WebSocket::Clock::now() - m_last >= *m_options.linger;
  }

  Result<void> finish(const websocket::Close& close) {
    SVC_CHECK(m_output.finish());
    if (closed_in_order(close)) return {};
    return websocket::close_error(close);
  }

  Session& m_session;
  WebSocket& m_channel;
  JsonlSessionOptions m_options;
  JsonlObserver* m_watch;
  std::deque<std::string> m_first;
  JsonlReader m_input;
  JsonlWriter m_output;
  std::optional<WebSocket::Clock::time_point> m_until;
  WebSocket::Clock::time_point m_last = WebSocket::Clock::now();
};

}  // namespace

Result<void> run_jsonl_session(Session& session, websocket::WebSocket& channel,
                               JsonlSessionOptions options, JsonlObserver* watch) {
  return JsonlSession(session, channel, std::move(options), watch).run();
}

Result<void> JsonlWriter::message(bool binary, const std::string& data) {
  SVC_CHECK(
      m_bytes ? as_bytes(binary, data)
              : document(binary ? fmt::format(R"({{"binary":"{}"}})", base64_encode(data)) : data));
  return m_session.out().flush();
}

Result<void> JsonlWriter::finish() {
  return is_array() ? m_array.finish() : Result<void>();
}

bool JsonlWriter::is_array() const {
  return !m_bytes && m_session.format() == Format::Json && !m_session.globals().jq;
}

Result<void> JsonlWriter::as_bytes(bool binary, const std::string& data) {
  if (!binary) {
    m_session.notices().aside(data);
    return {};
  }
  if (m_session.out().terminal().is_tty) {
    return Error{Fault::Local, "binary messages are not written to a terminal",
                 "Save them with -o FILE, use a pipe, or omit --receive."};
  }
  return m_session.out().write(data);
}

Result<void> JsonlWriter::document(const std::string& text) {
  if (m_session.format() == Format::Raw || check_json(text)) {
    SVC_CHECK(m_session.write_foreign(text));
    return m_session.out().write("\n");
  }
  const std::string message = without_secrets_in_error(text, m_session.secrets());
  if (is_array()) return m_array.add(message);
  if (m_session.globals().jq) return m_session.write_document(message);
  return print::JsonLines(m_session.out()).print(message);
}

}  // namespace svc::cli
