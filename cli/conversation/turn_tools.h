// The tool calls of a text conversation: confirmed on the terminal, run concurrently, with results
// for the model.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/cancel_token.h"
#include "base/result.h"
#include "client/answer.h"
#include "conversation/tool_calls.h"
#include "conversation/tool_flags.h"
#include "session/session.h"

namespace svc::cli {

/// Asks the user to confirm a call; the question ends with "?" and is already escaped. Returns the
/// token's error if canceled.
using AskTool =
    std::function<Result<ToolDecision>(const std::string& question, const CancelToken& cancel)>;

/// Asks on the terminal, one line per attempt; three invalid answers mean no.
[[nodiscard]] Result<ToolDecision> ask_on_terminal(Session& session, const std::string& question,
                                                   const CancelToken& cancel);
/// Whether there is a terminal to ask on.
[[nodiscard]] bool can_ask(Session& session);

/// The results of an answer's tool calls, in order; every call has one.
struct ToolRound {
  std::vector<ToolCalls::Finished> answers{};
  std::optional<Error> stopped{};
};

class TurnTools {
 public:
  explicit TurnTools(Session& session) : m_session(session) {}

  /// Reads the tool flags. Fault::Usage if one is invalid.
  [[nodiscard]] Result<void> open();

  /// Adds a tool, as --tool does; its calls need confirmation unless allowed.
  [[nodiscard]] Result<void> add(const std::string& flag, const CancelToken& cancel);
  /// Replaces the question on the terminal.
  void ask_by(AskTool ask) { m_ask = std::move(ask); }

  [[nodiscard]] bool empty() const noexcept { return !m_calls || m_calls->tools().empty(); }
  [[nodiscard]] std::vector<std::string> names() const;
  /// One line per tool: its name, and whether svc asks before a call.
  [[nodiscard]] std::string permissions() const;
  /// Asks again before each call of that tool. Fault::Usage if there is none.
  [[nodiscard]] Result<void> revoke(const std::string& name);
  [[nodiscard]] int most_rounds() const noexcept { return m_flags.rounds; }

  /// The MCP servers whose tools are included.
  [[nodiscard]] McpServers& servers() noexcept { return *m_flags.servers; }
  /// Starts an MCP server, as --mcp-local does, after confirmation.
  [[nodiscard]] Result<void> add_server(const std::string& flag, const CancelToken& cancel);
  /// Lists the tools again of servers that announced a change.
  void refresh(const CancelToken& cancel);

  /// The tools as JSON texts in the operation's format.
  [[nodiscard]] std::vector<std::string> definitions(View view) const;

  /// The calls of an answer that are for local tools. Empty if one of them is for another function
  /// that the request offers (`tools`): the caller has to answer those.
  [[nodiscard]] std::vector<ToolCall> own_calls(const Answer& answer, std::string_view tools) const;

  [[nodiscard]] ToolRound run(const std::vector<ToolCall>& calls, const CancelToken& cancel);
  /// Runs none of the calls; the model gets the reason.
  [[nodiscard]] ToolRound refuse(const std::vector<ToolCall>& calls, const std::string& why);

 private:
  [[nodiscard]] Result<void> step(const CancelToken& cancel, ToolRound& round);
  void collect(ToolRound& round);

  Session& m_session;
  ToolFlags m_flags{};
  std::optional<ToolCalls> m_calls{};
  AskTool m_ask{};
};

}  // namespace svc::cli
