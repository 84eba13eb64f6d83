// The programs that the model of a conversation may run: asked for, run beside the talk, answered.
#pragma once

#include <chrono>
#include <deque>
#include <list>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "tool_program.h"
#include "voice/conversation.h"

namespace svc::cli {

class TalkTools {
 public:
  struct Answer {
    std::string call{};
    std::string output{};
    std::string note{};  ///< for the user: what came of it
  };

  TalkTools(std::vector<ToolProgram> tools, bool allowed, std::chrono::milliseconds limit);

  /// The model wants a program to be run.
  void call(const voice::TalkEvent& event);
  /// The question that waits for the user, or "".
  [[nodiscard]] std::string question() const;
  /// Its answer; a yes holds for that program from now on.
  void decide(bool yes);
  /// Outputs that have come.
  [[nodiscard]] std::vector<Answer> take();
  /// Descriptors that can be read when take() has something.
  [[nodiscard]] std::vector<int> descriptors() const;
  /// Programs run, or wait to.
  [[nodiscard]] bool busy() const noexcept { return !m_runs.empty() || !m_asked.empty(); }
  /// Ends them all: their calls are nobody's any more.
  void forget();

 private:
  struct Wanted {
    std::string call{};
    std::string name{};
    std::string arguments{};
  };
  struct Running {
    Running(const Wanted& wanted, const std::string& program, std::chrono::milliseconds limit)
        : call(wanted.call), name(wanted.name), run(program, {}, wanted.arguments, limit) {}
    std::string call;
    std::string name;
    ToolRun run;
  };

  [[nodiscard]] const ToolProgram* find(const std::string& name) const;
  void start(const Wanted& wanted);
  void refuse(const Wanted& wanted, const std::string& why);

  std::vector<ToolProgram> m_tools;
  bool m_allowed;
  std::chrono::milliseconds m_limit;
  std::set<std::string> m_allowed_names{};
  std::deque<Wanted> m_asked{};
  std::list<Running> m_runs{};
  std::vector<Answer> m_answers{};
};

}  // namespace svc::cli
