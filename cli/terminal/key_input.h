// KeyInput that are pressed while a command works.
#pragma once

#include <chrono>
#include <string>

#include <termios.h>

#include "base/file_descriptor.h"

namespace svc::cli {

/// The terminal gives its keys one by one and echoes nothing while this lives: the one on standard
/// input, or the controlling one where something is piped in. Ctrl-C stays a signal. Not available
/// off a terminal, and to a job in the background.
class KeyInput {
 public:
  /// `wanted` is false where keys mean nothing.
  explicit KeyInput(bool wanted);
  KeyInput(const KeyInput&) = delete;
  KeyInput& operator=(const KeyInput&) = delete;
  ~KeyInput();

  /// Readable when a key was pressed, or -1.
  [[nodiscard]] int descriptor() const noexcept { return m_fd; }
  /// What was typed since; never waits. Escape sequences (cursor keys) are left out.
  [[nodiscard]] std::string read();

 private:
  FileDescriptor m_opened{};
  int m_fd = -1;
  termios m_before{};
  bool m_escape = false;  ///< inside an escape sequence
};

// A line that is rewritten in place, on a terminal where somebody types.

/// While it hides them, the keys that a user types are not echoed into the line; they stay in the
/// terminal for whoever reads next. Suspending the program gives the terminal its modes back. One
/// at a time; never while a RawTerminal is entered, which echoes nothing either.
class QuietKeys {
 public:
  explicit QuietKeys(int fd) noexcept : m_fd(fd) {}
  QuietKeys(const QuietKeys&) = delete;
  QuietKeys& operator=(const QuietKeys&) = delete;
  ~QuietKeys() { show(); }

  /// Nothing where `fd` is not a terminal, or somebody else's at the moment, or echoes nothing.
  void hide() noexcept;
  void show() noexcept;

 private:
  int m_fd;
  bool m_hidden = false;
  std::chrono::steady_clock::time_point m_checked{};  ///< that they still are
  termios m_before{};
};

}  // namespace svc::cli
