#include "emulator/schemas.h"

namespace svc::emulator {

// Each area's store declares its tables as `extern const char* const k_<area>_schema`.
std::span<const char* const> area_schemas() {
  return {};
}

}  // namespace svc::emulator
