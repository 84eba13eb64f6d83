// A line that is rewritten in place, on a terminal where somebody types.
#pragma once

#include <chrono>

#include <termios.h>

namespace svc::cli {

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
