// Standard input as messages for a WebSocket.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "print/notice.h"
#include "websocket/framing.h"

namespace svc::cli {

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

}  // namespace svc::cli
