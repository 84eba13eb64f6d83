// A state directory for a test.
#pragma once

#include <string>

#include "support/environment_variable.h"
#include "unit/base/temporary_directory.h"

namespace svc::cli {

/// The state directory of this process, while it exists.
class StateHere {
 public:
  [[nodiscard]] std::string file(const std::string& name) const {
    return m_directory.file("svc/" + name);
  }

 private:
  test::TemporaryDirectory m_directory{};
  test::EnvironmentVariable m_place{"XDG_STATE_HOME", m_directory.path()};
};

}  // namespace svc::cli
