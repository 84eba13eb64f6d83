// Which operations `svc mcp` offers as tools, and how each of them is described.
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
/// Whether a tool takes the field: what an answer is, not how svc shows it.
[[nodiscard]] bool is_argument(const Operation& operation, const Field& field);

/// Sockets are conversations, and the tool's own commands are about this machine.
[[nodiscard]] bool can_be_tool(const Operation& operation);

/// It changes nothing and costs nothing.
[[nodiscard]] bool is_read_only(const Operation& operation);
/// It removes or replaces something.
[[nodiscard]] bool is_destructive(const Operation& operation);

/// The operations that --allow (empty: the usual ones) and --read-only leave, in the catalogue's
/// order. Usage for a name that is neither a group nor one of its commands.
[[nodiscard]] Result<std::vector<const Operation*>> offered_operations(
    const std::vector<std::string>& allow, bool read_only);

/// The schema of an argument: durations, times and money are texts, as a flag takes them.
[[nodiscard]] OrderedJson schema_of_argument(const Field& field);

/// The tool as MCP describes it: name, description, JSON Schema of the arguments, annotations.
[[nodiscard]] OrderedJson tool_of(const Operation& operation);

}  // namespace svc::cli
