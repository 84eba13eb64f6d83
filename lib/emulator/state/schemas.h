// The tables of every area, which State creates.
#pragma once

#include <span>

namespace svc::emulator {

/// SQL of each area, run whenever a state is opened: `CREATE TABLE IF NOT EXISTS …`.
[[nodiscard]] std::span<const char* const> area_schemas();

}  // namespace svc::emulator
