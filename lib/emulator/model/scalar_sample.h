// Texts and numbers that satisfy a plain JSON schema.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "emulator/json/json.h"

namespace svc::emulator::text {

/// A value of `type` (`string`, `integer`, `number`, `boolean`, `null`) within the limits of
/// `schema`, or nothing when there is none. `hint`, the member's name, shows up in texts.
[[nodiscard]] std::optional<Json> sample_scalar(const std::string& type, const Json& schema,
                                                sv hint, std::size_t variation);

}  // namespace svc::emulator::text
