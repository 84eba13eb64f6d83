// A key as the management service writes and reads it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "emulator/account/management.h"

namespace svc::emulator::keys {

using management::Json;
using management::sv;

/// The key object. Members with default values are left out, as the service does; the secret is
/// there only when it was just made.
[[nodiscard]] Json key_object(const KeyRecord& key, sv secret = {});

/// "svc-" and 80 random letters and digits.
[[nodiscard]] std::string new_secret();

/// "svc-...wxyz".
[[nodiscard]] std::string redact(sv secret);

[[nodiscard]] const text::Type& create_type();
[[nodiscard]] const text::Type& update_type();
[[nodiscard]] const text::Type& rotate_type();

/// Reads one member of a key (`name`, `disabled`, `aclStrings`, …) from `object` into `key`; absent
/// means its default. The refusal, when it is no value for it.
[[nodiscard]] std::optional<Answer> read_member(const Json& object, sv member, KeyRecord& key);

/// What an update may change.
[[nodiscard]] std::vector<sv> changeable_members();

}  // namespace svc::emulator::keys
