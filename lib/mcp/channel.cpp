#include "mcp/channel.h"

#include <nlohmann/json.hpp>

#include "json/document.h"

namespace svc::mcp {

std::string with_meta(const std::string& params, std::string_view progress_token,
                      const std::string& meta) {
  using Json = nlohmann::ordered_json;
  if (progress_token.empty() && meta.empty()) return params;
  Json object = params.empty() ? Json::object() : parse_reply_in_order(params);
  if (!object.is_object()) return params;
  Json& all = object["_meta"];
  if (!all.is_object()) all = Json::object();
  if (!progress_token.empty()) all["progressToken"] = parse_reply_in_order(progress_token);
  if (!meta.empty()) all.update(parse_reply_in_order(meta));
  return compact_json(object);
}

}  // namespace svc::mcp
