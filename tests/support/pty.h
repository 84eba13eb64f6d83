// A pseudo terminal for programs under test.
#pragma once

#include <string>

#include "base/result.h"

namespace svc::test {

/// A terminal with both of its ends open. Bytes that a program writes arrive unchanged (the line
/// discipline adds no carriage returns); what is typed is echoed while the program leaves echo on.
class Pty {
 public:
  /// Local when the system has no terminal left.
  [[nodiscard]] static Result<Pty> open(int columns, int rows);
  Pty(Pty&& other) noexcept;
  Pty& operator=(Pty&& other) noexcept;
  Pty(const Pty&) = delete;
  Pty& operator=(const Pty&) = delete;
  ~Pty();

  [[nodiscard]] int master() const noexcept { return m_master; }
  [[nodiscard]] int slave() const noexcept { return m_slave; }

  /// The modes of the terminal in words, to compare before and after: "echo canonical signals".
  [[nodiscard]] std::string modes() const;

 private:
  Pty(int master, int slave) noexcept : m_master(master), m_slave(slave) {}
  void close_both() noexcept;

  int m_master = -1;
  int m_slave = -1;
};

}  // namespace svc::test
