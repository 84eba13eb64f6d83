// A test's environment, stored in a map.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "client/settings.h"

namespace svc::test {

using Variables = std::map<std::string, std::string>;

inline Environment environment(const Variables& variables) {
  return Environment{[variables](const std::string& name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    if (found == variables.end()) return std::nullopt;
    return found->second;
  }};
}

}  // namespace svc::test
