// Keypresses during a running command.
#pragma once

#include <chrono>
#include <string>

#include <termios.h>

#include "base/file_descriptor.h"

namespace svc::cli {

/// While this object exists, the terminal delivers single keys and does not echo: the terminal on
/// standard input, or the controlling terminal if input is piped in. Ctrl-C still sends a signal.
/// Not available without a terminal or for a background job.
class KeyInput {
 public:
  /// `wanted` is false if the command has no keys.
  explicit KeyInput(bool wanted);
  KeyInput(const KeyInput&) = delete;
  KeyInput& operator=(const KeyInput&) = delete;
  ~KeyInput();

  /// Returns a descriptor that is readable after a keypress, or -1.
  [[nodiscard]] int descriptor() const noexcept { return m_fd; }
  /// Returns the input since the last call; never blocks. Escape sequences (cursor keys) are
  /// ignored.
  [[nodiscard]] std::string read();

 private:
  FileDescriptor m_opened{};
  int m_fd = -1;
  termios m_before{};
  bool m_escape = false;  ///< inside an escape sequence
};

// A line that is redrawn in place, on a terminal where the user may type.

/// While hidden, typed keys are not echoed into the line; they remain in the terminal's input for
/// the next reader. Suspending the program restores the terminal's modes. Only one at a time; never
/// while a RawTerminal is entered, which does not echo either.
class QuietKeys {
 public:
  explicit QuietKeys(int fd) noexcept : m_fd(fd) {}
  QuietKeys(const QuietKeys&) = delete;
  QuietKeys& operator=(const QuietKeys&) = delete;
  ~QuietKeys() { show(); }

  /// Does nothing if `fd` is not a terminal, is used by another foreground process, or does not
  /// echo.
  void hide() noexcept;
  void show() noexcept;

 private:
  int m_fd;
  bool m_hidden = false;
  std::chrono::steady_clock::time_point m_checked{};  ///< when the modes were last checked
  termios m_before{};
};

}  // namespace svc::cli
