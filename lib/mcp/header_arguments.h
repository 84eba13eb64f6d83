// Arguments of a tool that its server wants in HTTP headers as well, for whoever routes the
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
  std::vector<std::string> path{};  ///< of the argument: names of properties
};

/// Reads them from the schema of a tool's arguments. Network for one that the protocol does not
/// allow: such a tool is not used.
[[nodiscard]] Result<std::vector<HeaderArgument>> header_arguments(const nlohmann::json& schema);

/// The headers of a call with these arguments, a JSON text. What is not given has none.
[[nodiscard]] std::vector<Header> headers_of(const std::vector<HeaderArgument>& wanted,
                                             std::string_view arguments);

/// `text` as the value of a header: as it is, or in base64 where a header cannot hold it.
[[nodiscard]] std::string header_value(std::string_view text);

}  // namespace svc::mcp
