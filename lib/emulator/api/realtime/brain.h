// What the emulator answers in a conversation: the same words for the same turns, and words that
// say what they are.
#pragma once

#include <string>
#include <vector>

#include "emulator/api/realtime/items.h"
#include "emulator/api/realtime/session_config.h"
#include "emulator/handler/handler.h"

namespace svc::emulator::realtime {

/// A call of one of the client's functions.
struct FunctionWish {
  std::string name{};
  std::string arguments{};  ///< JSON as text
};

/// A call of a tool at an MCP server, which the service makes itself.
struct ServerToolCall {
  std::string label{};
  std::string name{};
  std::string arguments{};
  std::string output{};
  std::string error{};  ///< it failed
};

struct Thought {
  std::string text{};  ///< to say; empty when functions are called
  std::vector<FunctionWish> calls{};
  std::vector<ServerToolCall> server_calls{};
  std::string failure{};  ///< the response fails with this message
};

/// The answer to the last turn. A declared function is called when that turn names it, several when
/// it names several; after their outputs the answer quotes them. Searches and MCP tools run when
/// the turn asks for them: "search", "posts", "file" or "document", the server's label or a tool's
/// name. `Say exactly: X`, `Write N words` and `Fail with: X` steer as in text operations.
[[nodiscard]] Thought think(const Call& call, const SessionConfig& config, const Items& items,
                            const std::string& instructions);

/// What is said when the user was silent for long.
[[nodiscard]] std::string check_in_text();

/// Whether the pretended MCP server can be reached: one under `.invalid` cannot.
[[nodiscard]] bool is_reachable(const SessionTool& tool);

/// Tokens of what the model was given.
[[nodiscard]] std::int64_t count_input(const SessionConfig& config, const Items& items);

}  // namespace svc::emulator::realtime
