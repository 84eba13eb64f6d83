// A WebSocket as lines: standard input is sent as messages, messages are printed.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "session/session.h"
#include "websocket/channel.h"

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

}  // namespace svc::cli
