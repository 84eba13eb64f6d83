#include "request/rpc.h"

#include <nlohmann/json.hpp>

#include "json/document.h"

namespace svc::request {

std::string tool_call(std::string_view tool, const OrderedJson& arguments) {
  OrderedJson params = {{"name", tool}, {"arguments", arguments}};
  return OrderedJson{
      {"jsonrpc", "2.0"}, {"id", k_rpc_id}, {"method", "tools/call"}, {"params", std::move(params)}}
      .dump();
}

}  // namespace svc::request
