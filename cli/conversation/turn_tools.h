// The programs of a conversation in text: asked for on the terminal, run side by side, their
// results for the model.
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

/// Asks the user about a call: a question that ends with "?", made visible. The stop's fault when
/// it asks to end.
using AskTool =
    std::function<Result<ToolDecision>(const std::string& question, const CancelToken& cancel)>;

/// Asks by a line on the terminal; three answers that are none count as no.
[[nodiscard]] Result<ToolDecision> ask_on_terminal(Session& session, const std::string& question,
                                                   const CancelToken& cancel);
/// Whether there is a terminal for that.
[[nodiscard]] bool can_ask(Session& session);

/// What came of the calls of one answer, in their order; every call has one, whatever happened.
struct ToolRound {
  std::vector<ToolCalls::Answer> answers{};
  std::optional<Error> stopped{};
};

class TurnTools {
 public:
  explicit TurnTools(Session& session) : m_session(session) {}

  /// Reads the flags. Usage.
  [[nodiscard]] Result<void> open();

  /// One more, as --tool takes it; the answer of who may say what is asked first is asked still.
  [[nodiscard]] Result<void> add(const std::string& flag, const CancelToken& cancel);
  /// Asks in another way than a line on the terminal.
  void ask_by(AskTool ask) { m_ask = std::move(ask); }

  [[nodiscard]] bool empty() const noexcept { return !m_calls || m_calls->tools().empty(); }
  [[nodiscard]] std::vector<std::string> names() const;
  [[nodiscard]] int most_rounds() const noexcept { return m_flags.rounds; }

  /// The MCP servers whose tools are among them.
  [[nodiscard]] McpServers& servers() noexcept { return *m_flags.servers; }
  /// Starts one more, as --mcp-local takes it, after asking.
  [[nodiscard]] Result<void> add_server(const std::string& flag, const CancelToken& cancel);
  /// Reads tools again that servers have changed.
  void refresh(const CancelToken& cancel);

  /// The tools as the operation's requests name them, JSON texts.
  [[nodiscard]] std::vector<std::string> definitions(View view) const;

  /// The calls of an answer that are for the programs here: none when one of them is for another
  /// function that the request offers (`tools`), which somebody else has to answer.
  [[nodiscard]] std::vector<ToolCall> own_calls(const Answer& answer, std::string_view body) const;

  [[nodiscard]] ToolRound run(const std::vector<ToolCall>& calls, const CancelToken& cancel);
  /// None is run: the model is told why.
  [[nodiscard]] ToolRound refuse(const std::vector<ToolCall>& calls, const std::string& why);

 private:
  [[nodiscard]] Result<void> step(const CancelToken& cancel, ToolRound& round);
  void take(ToolRound& round);

  Session& m_session;
  ToolFlags m_flags{};
  std::optional<ToolCalls> m_calls{};
  AskTool m_ask{};
};

}  // namespace svc::cli
