// What the models of a team are: the five kinds of the management service's listing.
#pragma once

#include <string_view>

#include "emulator/json/json.h"

namespace svc::emulator::keys {

/// The `clusterConfigs` listing: the models of models.h and media/models.h, and those
/// for audio and embeddings, with prices and limits in the documents' own units: prices of whole
/// things are in 1/100,000,000 cent, which is a tick.
[[nodiscard]] text::Json team_models();

/// Is this the name (no alias) of a model of any kind?
[[nodiscard]] bool is_team_model(std::string_view name);

}  // namespace svc::emulator::keys
