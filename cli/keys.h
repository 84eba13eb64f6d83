// Keys that are pressed while a command works.
#pragma once

#include <string>

#include <termios.h>

namespace svc::cli {

/// The terminal on standard input gives its keys one by one and echoes nothing while this lives.
/// Ctrl-C stays a signal. Not available off a terminal, and to a job in the background.
class Keys {
 public:
  /// `wanted` is false where standard input is for something else.
  explicit Keys(bool wanted);
  Keys(const Keys&) = delete;
  Keys& operator=(const Keys&) = delete;
  ~Keys();

  /// Readable when a key was pressed, or -1.
  [[nodiscard]] int descriptor() const noexcept { return m_fd; }
  /// What was typed since; never waits. Escape sequences (cursor keys) are left out.
  [[nodiscard]] std::string read();

 private:
  int m_fd = -1;
  termios m_before{};
  bool m_escape = false;  ///< inside an escape sequence
};

}  // namespace svc::cli
