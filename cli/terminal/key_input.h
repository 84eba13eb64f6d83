// KeyInput that are pressed while a command works.
#pragma once

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

}  // namespace svc::cli
