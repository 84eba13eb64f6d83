// A state directory for a test.
#pragma once

#include <cstdlib>
#include <optional>
#include <string>

#include "unit/base/temporary_directory.h"

namespace svc::cli {

/// The state directory of this process, while it exists.
class StateHere {
 public:
  StateHere() {
    if (const char* before = std::getenv("XDG_STATE_HOME")) m_before = before;
    ::setenv("XDG_STATE_HOME", m_directory.path().c_str(), 1);
  }
  StateHere(const StateHere&) = delete;
  StateHere& operator=(const StateHere&) = delete;
  ~StateHere() {
    if (m_before) {
      ::setenv("XDG_STATE_HOME", m_before->c_str(), 1);
    } else {
      ::unsetenv("XDG_STATE_HOME");
    }
  }

  [[nodiscard]] std::string file(const std::string& name) const {
    return m_directory.file("svc/" + name);
  }

 private:
  test::TemporaryDirectory m_directory{};
  std::optional<std::string> m_before{};
};

}  // namespace svc::cli
