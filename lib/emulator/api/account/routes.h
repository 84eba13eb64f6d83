// Operations around the account: the calling key, the models, the tokenizer.
#pragma once

#include <vector>

#include "emulator/handler/handler.h"

namespace svc::emulator {

/// GET /v1/api-key.
[[nodiscard]] std::vector<Route> api_key_routes();

/// GET /v1/models[/{model_id}] and /v1/language-models[/{model_id}].
[[nodiscard]] std::vector<Route> model_routes();

/// POST /v1/tokenize-text.
[[nodiscard]] std::vector<Route> tokenize_routes();

}  // namespace svc::emulator
