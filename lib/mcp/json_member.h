// Members of JSON that somebody else wrote.
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace svc::mcp {

/// The member; null when it is absent or `object` is not an object.
[[nodiscard]] const nlohmann::json& member(const nlohmann::json& object, const char* name);

}  // namespace svc::mcp
