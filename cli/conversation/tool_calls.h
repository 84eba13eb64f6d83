// Tool calls of a model: confirmed by the user, run concurrently, and answered.
#pragma once

#include <chrono>
#include <deque>
#include <list>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/cancel_token.h"
#include "base/result.h"
#include "client/answer.h"
#include "conversation/tool_program.h"
#include "session/question.h"
#include "terminal/editor/raw_terminal.h"

namespace svc::cli {

/// Tools that may be called without confirmation.
struct AllowedTools {
  bool all = false;
  std::set<std::string> names{};
  std::vector<std::string> patterns{};  ///< of MCP tools: "server.tool", * matches anything
  std::set<std::string> asked{};        ///< exceptions, by name

  [[nodiscard]] bool has(const ToolProgram& tool) const;
  /// Whether a tool of that server may be allowed.
  [[nodiscard]] bool has_server(std::string_view server) const;
};

/// Parses --allow-tools: names of `tools` and "server.tool" addresses of `servers`, separated by
/// commas, or "all". Fault::Usage for an unknown name.
[[nodiscard]] Result<AllowedTools> read_allowed_tools(std::string_view text,
                                                      const std::vector<ToolProgram>& tools,
                                                      const std::vector<std::string>& servers = {});

/// The first of `tools` that is not allowed, or null.
[[nodiscard]] const ToolProgram* not_allowed(const AllowedTools& allowed,
                                             const std::vector<ToolProgram>& tools);

/// Maximum number of tool programs that run concurrently.
inline constexpr std::size_t k_max_tool_runs = 8;

/// The user's answer to a confirmation.
enum class ToolConsent : std::uint8_t { No, Once, Always };

class ToolCalls {
 public:
  struct Finished {
    std::string call{};
    std::string output{};               ///< for the model
    std::string note{};                 ///< for the user: the outcome
    std::string said{};                 ///< for the user: standard error of the program; untrusted
    std::vector<std::string> images{};  ///< for the model, as data: URLs
  };

  ToolCalls(std::vector<ToolProgram> tools, AllowedTools allowed, ToolLimits limits);

  /// Adds a tool, replacing one of the same name.
  void add(ToolProgram tool);
  /// Replaces the tools of MCP servers.
  void replace_served(std::vector<ToolProgram> tools);
  [[nodiscard]] const std::vector<ToolProgram>& tools() const noexcept { return m_tools; }
  [[nodiscard]] const ToolProgram* find(const std::string& name) const;

  /// Starts a tool call that the model requested, or queues it for confirmation.
  void call(ToolCall wanted);
  /// Refuses a call; the model gets the reason.
  void refuse(const ToolCall& wanted, const std::string& why);
  /// Whether calls of that tool need no confirmation.
  [[nodiscard]] bool is_allowed(const ToolProgram& tool) const { return m_allowed.has(tool); }
  /// Asks again before each call of that tool.
  void revoke(const std::string& name);
  /// The next question for the user, without the choices, on several lines; "" if there is none.
  [[nodiscard]] std::string question() const;
  /// Answers the current question.
  void decide(ToolConsent consent, const std::string& reason = {});
  /// The outputs that are ready.
  [[nodiscard]] std::vector<Finished> take();
  /// Descriptors that become readable when take() has something.
  [[nodiscard]] std::vector<int> descriptors() const;
  /// Whether calls are running or queued.
  [[nodiscard]] bool busy() const noexcept {
    return !m_runs.empty() || !m_asked.empty() || !m_waiting.empty();
  }
  /// Cancels all calls and discards their outputs.
  void forget();

 private:
  struct Running {
    Running(const ToolCall& wanted, const ToolProgram& tool, const ToolLimits& limits)
        : call(wanted), run(tool_work(tool, wanted.arguments, limits)) {}
    ToolCall call;
    std::chrono::steady_clock::time_point begin = std::chrono::steady_clock::now();
    ToolRun run;
  };

  [[nodiscard]] static Finished answer_of(Running& running);
  void start(const ToolCall& wanted);
  void start_waiting();

  std::vector<ToolProgram> m_tools;
  AllowedTools m_allowed;
  ToolLimits m_limits;
  std::deque<ToolCall> m_asked{};
  std::deque<ToolCall> m_waiting{};  ///< waiting for a free slot
  std::list<Running> m_runs{};
  std::vector<Finished> m_answers{};
};

// Asks whether a tool may be called.

/// The user's decision about a call.
struct ToolDecision {
  ToolConsent consent = ToolConsent::No;
  std::string reason{};  ///< if denied, for the model; may be empty
};

/// Shows `question` (escaped, ends with "?") in full, a screen at a time if necessary, and reads
/// the answer: one key (see ask_question).
[[nodiscard]] Result<ToolDecision> ask_about_tool(Session& session, const std::string& question,
                                                  RawTerminal& terminal, const CancelToken& cancel,
                                                  const TypedAhead& ahead = {});

/// Arguments of a call for people, escaped: a command as a command, an edit as a diff, everything
/// else as indented JSON.
[[nodiscard]] std::string shown_arguments(const std::string& arguments);

/// Splits `text` into screens of at most `rows` rows and `columns` columns.
[[nodiscard]] std::vector<std::string> screens_of(std::string_view text, std::size_t columns,
                                                  std::size_t rows);

}  // namespace svc::cli
