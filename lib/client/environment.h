// The process environment as a value, so that everything above can be tested without one.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>

namespace svc {

/// Gives the value of a variable, or nothing when it is not set, or set to nothing.
struct Environment {
  std::function<std::optional<std::string>(const std::string& name)> get;

  /// The environment of this process: the only place in client and cli that reads it.
  [[nodiscard]] static Environment of_process();

  [[nodiscard]] std::optional<std::string> operator()(const std::string& name) const {
    auto value = get ? get(name) : std::nullopt;
    return value && !value->empty() ? std::move(value) : std::nullopt;
  }
};

}  // namespace svc
