// A WebSocket as lines: standard input is sent as messages, messages are printed.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "print/json.h"
#include "print/notice.h"
#include "session/session.h"
#include "websocket/channel.h"
#include "websocket/framing.h"

namespace svc::cli {

struct JsonlSessionOptions {
  bool send_bytes = false;     ///< standard input is bytes, not lines
  bool receive_bytes = false;  ///< the output is bytes, text messages go to standard error
  /// Lines must be JSON objects: others are not sent, with a warning, and the run ends with Usage.
  bool json_lines = false;
  /// The channel is closed once the input has ended and no message went or came for this time;
  /// nothing: the peer closes it.
  std::optional<std::chrono::milliseconds> linger{};
  std::vector<std::string> first{};  ///< messages that go before the input
};

/// Sees the texts that go by.
class JsonlObserver {
 public:
  JsonlObserver() = default;
  JsonlObserver(const JsonlObserver&) = delete;
  JsonlObserver& operator=(const JsonlObserver&) = delete;
  virtual ~JsonlObserver() = default;

  virtual void sent(const std::string& text) = 0;
  virtual void arrived(const std::string& text) = 0;
  /// Something is expected: the channel is not closed yet, however long nothing comes.
  [[nodiscard]] virtual bool busy() const = 0;
};

/// Runs until the input is over and `linger` too, or the peer closes; a close that is not normal is
/// an error. Bytes are in lines as {"binary":"base64"}, both ways. Each message is written out as
/// it comes.
[[nodiscard]] Result<void> run_jsonl_session(Session& session, websocket::Channel& channel,
                                             JsonlSessionOptions options,
                                             JsonlObserver* watch = nullptr);

/// Standard input as messages for a WebSocket.
class JsonlReader {
 public:
  struct Options {
    bool bytes = false;       ///< no lines: pieces as they come
    bool json_lines = false;  ///< a line that is not a JSON object is left out with a warning
    bool ignored = false;     ///< there is no input
  };

  /// `notices` must outlive this.
  JsonlReader(Options options, print::Notices& notices)
      : m_options(options), m_notices(notices), m_ended(options.ignored) {}

  [[nodiscard]] bool ended() const noexcept { return m_ended && !m_next; }
  /// Whether its descriptor is worth waiting for.
  [[nodiscard]] bool wants() const noexcept { return !m_ended && !m_next; }
  /// Lines that were left out.
  [[nodiscard]] std::size_t left_out() const noexcept { return m_left_out; }

  /// The message that waits to be sent, or nothing.
  [[nodiscard]] const std::optional<websocket::Message>& next() const noexcept { return m_next; }
  [[nodiscard]] Result<void> taken();

  /// Reads what is there.
  [[nodiscard]] Result<void> read();

 private:
  [[nodiscard]] Result<void> cut();
  [[nodiscard]] Result<void> take_line(std::string_view line);

  Options m_options;
  print::Notices& m_notices;
  bool m_ended;
  std::string m_buffer{};
  std::size_t m_begin = 0;  ///< of the next line
  std::size_t m_number = 0;
  std::size_t m_left_out = 0;
  std::optional<websocket::Message> m_next{};
};

// Messages that come one by one, on their way to standard output.

/// Writes each as the format says and flushes: a line of JSON, an element of one document with
/// --format json, through --jq, or as it came. Bytes are in lines as {"binary":"base64"}.
class JsonlWriter {
 public:
  /// `bytes`: only bytes are written, as they are; text goes to standard error.
  JsonlWriter(Session& session, bool bytes)
      : m_session(session), m_bytes(bytes), m_array(session.out()) {}

  [[nodiscard]] Result<void> message(bool binary, const std::string& data);
  /// There are no more.
  [[nodiscard]] Result<void> finish();

 private:
  [[nodiscard]] bool is_array() const;
  [[nodiscard]] Result<void> as_bytes(bool binary, const std::string& data);
  [[nodiscard]] Result<void> document(const std::string& text);

  Session& m_session;
  bool m_bytes;
  print::JsonArray m_array;
};

/// A binary message as a line.
[[nodiscard]] std::string binary_line(std::string_view bytes);

}  // namespace svc::cli
