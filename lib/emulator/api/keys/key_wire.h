// A key as the management service writes and reads it, and the models of a team, in the five kinds
// of its listing.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/account/management.h"
#include "emulator/json/json.h"

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

/// Of the requests to "create", "update" and "rotate" a key.
[[nodiscard]] const text::Types& key_types();

/// Reads one member of a key (`name`, `disabled`, `aclStrings`, …) from `object` into `key`; absent
/// means its default. The refusal, when it is no value for it.
[[nodiscard]] std::optional<Answer> read_member(const Json& object, sv member, KeyRecord& key);

/// What an update may change.
[[nodiscard]] std::vector<sv> changeable_members();

/// The `clusterConfigs` listing: the models of account/models.h, and those
/// for audio and embeddings, with prices and limits in the documents' own units: prices of whole
/// things are in 1/100,000,000 cent, which is a tick.
[[nodiscard]] text::Json team_models();

/// Is this the name (no alias) of a model of any kind?
[[nodiscard]] bool is_team_model(std::string_view name);

}  // namespace svc::emulator::keys
