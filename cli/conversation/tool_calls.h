// Calls of programs that a model may run: asked for, run beside everything else, answered.
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
#include "conversation/tool_program.h"
#include "session/session.h"
#include "terminal/editor/raw_terminal.h"

namespace svc::cli {

/// Tools that need no question.
struct AllowedTools {
  bool all = false;
  std::set<std::string> names{};
  std::vector<std::string> patterns{};  ///< of servers' tools: "server.tool", * for anything

  [[nodiscard]] bool has(const ToolProgram& tool) const;
  /// Whether a tool of that server may be among them.
  [[nodiscard]] bool has_server(std::string_view server) const;
};

/// Reads --allow-tools: names of `tools` and addresses of tools of `servers`, separated by commas,
/// or "all". Usage.
[[nodiscard]] Result<AllowedTools> read_allowed_tools(std::string_view text,
                                                      const std::vector<ToolProgram>& tools,
                                                      const std::vector<std::string>& servers = {});

/// The first of `tools` that is not allowed, or null.
[[nodiscard]] const ToolProgram* not_allowed(const AllowedTools& allowed,
                                             const std::vector<ToolProgram>& tools);

/// Maximum number of tool programs that run concurrently.
inline constexpr std::size_t k_most_tool_runs = 8;

/// What the user says about a call.
enum class ToolConsent : std::uint8_t { No, Once, Always };

class ToolCalls {
 public:
  struct Call {
    std::string id{};
    std::string name{};
    std::string arguments{};  ///< JSON
  };
  struct Answer {
    std::string call{};
    std::string output{};  ///< for the model
    std::string note{};    ///< for the user: what came of it
    std::string said{};    ///< for the user: what the program wrote on its standard error; foreign
    std::vector<std::string> images{};  ///< for the model, as data: URLs
  };

  ToolCalls(std::vector<ToolProgram> tools, AllowedTools allowed, ToolLimits limits);

  /// One more tool, in the place of one of the same name.
  void add(ToolProgram tool);
  /// The tools of servers are these now.
  void replace_served(std::vector<ToolProgram> tools);
  [[nodiscard]] const std::vector<ToolProgram>& tools() const noexcept { return m_tools; }
  [[nodiscard]] const ToolProgram* find(const std::string& name) const;

  /// The model wants a program to be run.
  void call(Call wanted);
  /// Not run; the model gets the reason.
  void refuse(const Call& wanted, const std::string& why);
  /// What is to be asked of the user, without the keys that answer it, or "".
  [[nodiscard]] std::string question() const;
  /// The answer to it.
  void decide(ToolConsent consent, const std::string& reason = {});
  /// Outputs that have come.
  [[nodiscard]] std::vector<Answer> take();
  /// Descriptors that can be read when take() has something.
  [[nodiscard]] std::vector<int> descriptors() const;
  /// Programs run, or wait to.
  [[nodiscard]] bool busy() const noexcept {
    return !m_runs.empty() || !m_asked.empty() || !m_waiting.empty();
  }
  /// Ends them all: their calls are nobody's any more.
  void forget();

 private:
  struct Running {
    Running(const Call& wanted, const ToolProgram& tool, const ToolLimits& limits)
        : call(wanted), run(tool, wanted.arguments, limits) {}
    Call call;
    std::chrono::steady_clock::time_point begin = std::chrono::steady_clock::now();
    ToolRun run;
  };

  [[nodiscard]] static Answer answer_of(Running& running);
  void start(const Call& wanted);
  void start_waiting();

  std::vector<ToolProgram> m_tools;
  AllowedTools m_allowed;
  ToolLimits m_limits;
  std::deque<Call> m_asked{};
  std::deque<Call> m_waiting{};  ///< as many run as may at a time
  std::list<Running> m_runs{};
  std::vector<Answer> m_answers{};
};

// The question whether a program may be run, and its answer.

/// What a user decided about a call.
struct ToolDecision {
  ToolConsent consent = ToolConsent::No;
  std::string reason{};  ///< of a no, for the model; may be empty
};

/// Shows `question` (made harmless, ends with "?") in full, a screen at a time where it is longer,
/// and takes the answer: one key. What is typed before does not answer it: that is the caller's
/// work.
[[nodiscard]] Result<ToolDecision> ask_about_tool(Session& session, const std::string& question,
                                                  RawTerminal& terminal, const CancelToken& cancel);

/// `text` in parts of at most `rows` rows of `columns` columns.
[[nodiscard]] std::vector<std::string> screens_of(std::string_view text, std::size_t columns,
                                                  std::size_t rows);

}  // namespace svc::cli
