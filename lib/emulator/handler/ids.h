// Ids of what the emulator makes. A seed makes them repeat, for tests that compare whole answers.
#pragma once

#include <cstdint>
#include <string>

namespace svc::emulator {

/// From now on new_uuid() gives the row of ids that belongs to this seed, from its beginning.
void seed_ids(std::uint64_t seed);

/// 36 characters, random (version 4) unless a seed was given. Safe for several threads.
[[nodiscard]] std::string new_uuid();

}  // namespace svc::emulator
