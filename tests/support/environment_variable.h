// An environment variable of this process, for a test.
#pragma once

#include <cstdlib>
#include <ctime>
#include <optional>
#include <string>
#include <utility>

namespace svc::test {

/// Sets a variable while it exists; then it is what it was before. TZ takes effect at once.
class EnvironmentVariable {
 public:
  /// `value`: nullopt unsets it.
  EnvironmentVariable(std::string name, const std::optional<std::string>& value)
      : m_name(std::move(name)) {
    if (const char* before = std::getenv(m_name.c_str())) m_before = before;
    set(value);
  }
  EnvironmentVariable(const EnvironmentVariable&) = delete;
  EnvironmentVariable& operator=(const EnvironmentVariable&) = delete;
  ~EnvironmentVariable() { set(m_before); }

  void set(const std::optional<std::string>& value) const {
    if (value) {
      ::setenv(m_name.c_str(), value->c_str(), 1);
    } else {
      ::unsetenv(m_name.c_str());
    }
    ::tzset();
  }

 private:
  std::string m_name;
  std::optional<std::string> m_before{};
};

}  // namespace svc::test
