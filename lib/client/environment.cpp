#include "client/environment.h"

#include <cstdlib>

namespace svc {

Environment Environment::of_process() {
  return Environment{[](const std::string& name) -> std::optional<std::string> {
    // Nothing in the library changes the environment, so this read races with nobody.
    const char* value = std::getenv(name.c_str());  // NOLINT(concurrency-mt-unsafe)
    if (value == nullptr) return std::nullopt;
    return std::string(value);
  }};
}

}  // namespace svc
