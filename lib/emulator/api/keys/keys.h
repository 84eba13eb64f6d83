// JSON of keys in the management service.
#pragma once

#include "emulator/account/auth.h"

namespace svc::emulator::keys {

using management::Json;

/// Returns the key object without default values; the secret is shown only after creation.
[[nodiscard]] Json key_object(const KeyRecord& key, sv secret = {});

/// Returns "svc-" and 80 random letters and digits.
[[nodiscard]] std::string new_secret();

/// Returns "svc-...wxyz".
[[nodiscard]] std::string redact(sv secret);

}  // namespace svc::emulator::keys
