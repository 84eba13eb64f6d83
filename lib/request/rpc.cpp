#include "request/rpc.h"

#include <nlohmann/json.hpp>

namespace svc::request {

std::string tool_call(std::string_view tool, const nlohmann::ordered_json& arguments) {
  nlohmann::ordered_json params = {{"name", tool}, {"arguments", arguments}};
  return nlohmann::ordered_json{
      {"jsonrpc", "2.0"}, {"id", k_rpc_id}, {"method", "tools/call"}, {"params", std::move(params)}}
      .dump();
}

}  // namespace svc::request
