// The emulator's answers in a conversation: deterministic text that identifies the emulator.
#pragma once

#include <string>
#include <vector>

#include "emulator/api/realtime/items.h"
#include "emulator/api/realtime/session_config.h"
#include "emulator/control/answers.h"
#include "emulator/handler/handler.h"

namespace svc::emulator::realtime {

/// A call of an MCP server's tool, made by the service itself.
struct ServerToolCall {
  std::string label{};
  std::string name{};
  std::string arguments{};
  std::string output{};
  std::string error{};  ///< error message if it failed
};

struct ModelAnswer {
  std::string text{};  ///< text to say; empty if functions are called
  std::vector<FunctionCall> calls{};
  std::vector<ServerToolCall> server_calls{};
  std::string failure{};                      ///< the response fails with this message
  std::shared_ptr<const text::Json> usage{};  ///< a rule's members of the usage
  std::chrono::milliseconds delay{0};         ///< before the first event of its output
};

/// Returns the answer to the last turn. A declared function is called if the turn contains its
/// name, several if it contains several; after their outputs, the answer quotes them. Searches and
/// MCP tools run if the turn contains "search", "posts", "file" or "document", the server's label
/// or a tool's name. `Say exactly: X`, `Write N words` and `Fail with: X` work as in text
/// operations.
[[nodiscard]] ModelAnswer generate_answer(const Request& request, const SessionConfig& config,
                                          const Items& items, const std::string& instructions);

/// Whether the pretended MCP server is reachable; any server under `.invalid` is not.
[[nodiscard]] bool is_reachable(const SessionTool& tool);

/// Counts the tokens of the model's input.
[[nodiscard]] std::int64_t count_input(const SessionConfig& config, const Items& items);

}  // namespace svc::emulator::realtime
