// JSON of keys in the management service, and of a team's models in the five kinds of their
// listing.
#pragma once

#include "emulator/account/auth.h"

namespace svc::emulator::keys {

using management::Json;

/// Returns the key object. Fields with default values are left out, as the service does; the secret
/// is included only right after creation.
[[nodiscard]] Json key_object(const KeyRecord& key, sv secret = {});

/// Returns "svc-" and 80 random letters and digits.
[[nodiscard]] std::string new_secret();

/// Returns "svc-...wxyz".
[[nodiscard]] std::string redact(sv secret);

}  // namespace svc::emulator::keys
