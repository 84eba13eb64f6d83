// JSON of keys in the management service, and of a team's models in the five kinds of their
// listing.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "emulator/account/auth.h"
#include "emulator/json/json.h"

namespace svc::emulator::keys {

using management::Json;

/// Returns the key object. Fields with default values are left out, as the service does; the secret
/// is included only right after creation.
[[nodiscard]] Json key_object(const KeyRecord& key, sv secret = {});

/// Returns "svc-" and 80 random letters and digits.
[[nodiscard]] std::string new_secret();

/// Returns "svc-...wxyz".
[[nodiscard]] std::string redact(sv secret);

/// Types of the requests to "create", "update" and "rotate" a key.
[[nodiscard]] const text::Types& key_types();

/// Reads one field of a key (`name`, `disabled`, `aclStrings`, …) from `object` into `key`; absent
/// means its default. Returns the refusal if the value is invalid.
[[nodiscard]] std::optional<Response> read_member(const Json& object, sv member, KeyRecord& key);

/// The `clusterConfigs` listing: the models of account/models.h, and those
/// for audio and embeddings, with prices and limits in the documents' own units: prices of whole
/// things are in 1/100,000,000 cent, which is a tick.
[[nodiscard]] text::Json team_models();

}  // namespace svc::emulator::keys
