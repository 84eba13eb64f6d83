// Tool arguments that the server also requires as HTTP headers, so that proxies can route the
// request: properties of the schema with "x-mcp-header".
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/message.h"
#include "base/result.h"

namespace svc::mcp {

struct HeaderArgument {
  std::string header{};             ///< "Mcp-Param-Region"
  std::vector<std::string> path{};  ///< path of the argument: property names
};

/// Reads the annotations from the schema of a tool's arguments. Fails with Fault::Network if the
/// protocol does not allow one of them; the tool must then not be used.
[[nodiscard]] Result<std::vector<HeaderArgument>> header_arguments(const nlohmann::json& schema);

/// The headers of a call with these arguments (JSON text). Omits arguments that are not set.
[[nodiscard]] std::vector<Header> headers_of(const std::vector<HeaderArgument>& wanted,
                                             std::string_view arguments);

/// Encodes `text` as a header value: unchanged, or in base64 if a header cannot contain it.
[[nodiscard]] std::string header_value(std::string_view text);

}  // namespace svc::mcp
