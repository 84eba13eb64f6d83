#include "mcp/json_member.h"

#include <nlohmann/json.hpp>

namespace svc::mcp {

const nlohmann::json& member(const nlohmann::json& object, const char* name) {
  static const nlohmann::json none;
  if (!object.is_object()) return none;
  const auto found = object.find(name);
  return found != object.end() ? *found : none;
}

}  // namespace svc::mcp
