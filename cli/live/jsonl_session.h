// A WebSocket session in lines: sends standard input as messages and prints received messages.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "print/json.h"
#include "session/session.h"
#include "websocket/framing.h"
#include "websocket/web_socket.h"

namespace svc::cli {

struct JsonlSessionOptions {
  bool send_bytes = false;     ///< standard input is raw bytes instead of lines
  bool receive_bytes = false;  ///< the output is raw bytes; text messages go to standard error
  /// Lines must be JSON objects: others are skipped with a warning, and the run fails with Usage.
  bool json_lines = false;
  /// After the input has ended, closes the channel once no message was sent or received for this
  /// time; nothing: waits for the peer to close it.
  std::optional<std::chrono::milliseconds> linger{};
  std::vector<std::string> first{};  ///< messages to send before the input
};

/// Observes the text messages of a session.
class JsonlObserver {
 public:
  JsonlObserver() = default;
  JsonlObserver(const JsonlObserver&) = delete;
  JsonlObserver& operator=(const JsonlObserver&) = delete;
  virtual ~JsonlObserver() = default;

  virtual void sent(const std::string& text) = 0;
  virtual void arrived(const std::string& text) = 0;
  /// Whether a response is still expected, so that the channel is not closed while idle.
  [[nodiscard]] virtual bool busy() const = 0;
};

/// Runs until the input has ended and `linger` has passed, or the peer closes the channel; an
/// abnormal close is an error. Binary messages are lines of the form {"binary":"base64"}, both
/// ways. Each message is written immediately.
[[nodiscard]] Result<void> run_jsonl_session(Session& session, websocket::WebSocket& channel,
                                             JsonlSessionOptions options,
                                             JsonlObserver* watch = nullptr);

// Messages written to standard output as they arrive.

/// Writes and flushes each message as the output format requires: a line of JSON, an item of one
/// document with --format json, filtered by --jq, or unchanged. Binary messages are written as
/// {"binary":"base64"}.
class JsonlWriter {
 public:
  /// `bytes`: write only binary messages, unchanged; text messages go to standard error.
  JsonlWriter(Session& session, bool bytes)
      : m_session(session), m_bytes(bytes), m_array(session.out()) {}

  [[nodiscard]] Result<void> message(bool binary, const std::string& data);
  /// Call after the last message.
  [[nodiscard]] Result<void> finish();

 private:
  [[nodiscard]] bool is_array() const;
  [[nodiscard]] Result<void> as_bytes(bool binary, const std::string& data);
  [[nodiscard]] Result<void> document(const std::string& text);

  Session& m_session;
  bool m_bytes;
  print::JsonArray m_array;
};

}  // namespace svc::cli
