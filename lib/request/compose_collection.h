// Short flags of collections -> chunk configuration, field definitions and their updates.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/result.h"
#include "request/inputs.h"

namespace svc::request {

/// Adds what --chunk-…, --field, --add-field and --delete-field stand for. Usage for two chunk
/// strategies, a size that the strategy does not have, a field definition that cannot be read, and
/// an added field that is required. What removes values is told in `warnings`.
[[nodiscard]] Result<void> compose_collection(const Inputs& inputs, nlohmann::ordered_json& body,
                                              std::vector<std::string>& warnings);

}  // namespace svc::request
