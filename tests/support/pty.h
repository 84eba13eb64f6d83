// A pseudoterminal for programs under test.
#pragma once

#include <string>

#include "base/result.h"

namespace svc::test {

/// A terminal with both ends open. A program's output arrives unchanged (the line discipline adds
/// no carriage returns); typed text is echoed unless the program turns echo off.
class Pty {
 public:
  /// Local if the system has no free terminal.
  [[nodiscard]] static Result<Pty> open(int columns, int rows);
  Pty(Pty&& other) noexcept;
  Pty& operator=(Pty&& other) noexcept;
  Pty(const Pty&) = delete;
  Pty& operator=(const Pty&) = delete;
  ~Pty();

  [[nodiscard]] int master() const noexcept { return m_master; }
  [[nodiscard]] int slave() const noexcept { return m_slave; }

  /// The terminal's modes as words, for comparison: "echo canonical signals".
  [[nodiscard]] std::string modes() const;

 private:
  Pty(int master, int slave) noexcept : m_master(master), m_slave(slave) {}
  void close_both() noexcept;

  int m_master = -1;
  int m_slave = -1;
};

}  // namespace svc::test
