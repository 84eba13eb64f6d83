// Which operations `svc mcp` offers as tools, and their descriptions.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "catalogue/catalogue.h"
#include "json/document.h"

namespace svc::cli {

/// "images_generate", "collections_documents_add".
[[nodiscard]] std::string tool_name(const Operation& operation);
/// "max_tokens" of --max-tokens.
[[nodiscard]] std::string argument_name(const Field& field);
/// Whether the field is an argument of the tool: it affects the result, not how svc prints it.
[[nodiscard]] bool is_argument(const Operation& operation, const Field& field);

/// False for operations over a WebSocket, which are interactive, and for commands about this
/// machine.
[[nodiscard]] bool can_be_tool(const Operation& operation);

/// Whether the operation changes nothing and costs nothing.
[[nodiscard]] bool is_read_only(const Operation& operation);

/// The operations allowed by --allow (empty: the default ones) and --read-only, in catalogue order.
/// Usage for a name that is neither a group nor a command.
[[nodiscard]] Result<std::vector<const Operation*>> offered_operations(
    const std::vector<std::string>& allow, bool read_only);

/// The JSON Schema of an argument: durations, times and amounts are strings, in the flag's format.
[[nodiscard]] OrderedJson schema_of_argument(const Field& field);

/// Whether the tool's result has structured content: a document or a list, not text or bytes.
[[nodiscard]] bool has_structured_result(const Operation& operation);

/// The tool in MCP's format: name, description, JSON Schemas of the arguments and of
/// the structured content, annotations.
[[nodiscard]] OrderedJson tool_of(const Operation& operation);

}  // namespace svc::cli
