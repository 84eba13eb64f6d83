#include "conversation/turn_tools.h"

#include <algorithm>

#include <fcntl.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <termios.h>
#include <unistd.h>

#include "base/file_descriptor.h"
#include "base/platform.h"
#include "base/text.h"
#include "base/wait.h"
#include "catalogue/tool_fields.h"
#include "json/document.h"
#include "json/slices.h"

namespace svc::cli {
namespace {

constexpr std::chrono::milliseconds k_tick{50};  ///< of the progress line

/// The input for confirmations: standard input, or the terminal itself if that is a pipe.
FileDescriptor open_keyboard() {
  if (::isatty(STDIN_FILENO) == 1) return FileDescriptor(::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3));
  return FileDescriptor(::open(terminal_path().c_str(), O_RDONLY | O_CLOEXEC));
}

}  // namespace

bool can_ask(Session& session) {
  return session.err().terminal().is_tty && open_keyboard().is_open();
}

Result<ToolDecision> ask_on_terminal(Session& session, const std::string& question,
                                     const CancelToken& cancel) {
  const FileDescriptor keyboard = open_keyboard();
  if (!keyboard.is_open()) return ToolDecision{};
  RawTerminal terminal(keyboard.get());
  return ask_about_tool(session, question, terminal, cancel);
}

namespace {

/// Whether the request offers a function of that name, or a local shell.
bool is_offered(const nlohmann::json& tools, const std::string& name) {
  if (!tools.is_array()) return false;
  return std::any_of(tools.begin(), tools.end(), [&](const nlohmann::json& tool) {
    if (!tool.is_object()) return false;
    if (text_member(tool, "name") == name) return true;
    if (name == "shell" && text_member(tool, "type") == name) return true;
    const auto function = tool.find("function");
    return function != tool.end() && text_member(*function, "name") == name;
  });
}

/// "clock, weather": each name once.
std::string names_of(const std::vector<ToolCall>& calls) {
  std::vector<sv> names;
  for (const ToolCall& call : calls) {
    if (std::find(names.begin(), names.end(), call.name) == names.end()) names.push_back(call.name);
  }
  return join(names, ", ");
}

}  // namespace

Result<void> TurnTools::open() {
  SVC_TRY(flags, read_tool_flags(m_session, can_ask(m_session)));
  m_flags = std::move(flags);
  m_calls.emplace(m_flags.tools, m_flags.allowed, m_flags.limits);
  return {};
}

Result<void> TurnTools::add_server(const std::string& flag, const CancelToken& cancel) {
  SVC_TRY(spec, mcp::read_server_flag("/mcp", flag));
  if (m_flags.servers->find(spec.name) != nullptr) {
    return usage_error(fmt::format("MCP server {} already exists", spec.name), "Use another name.");
  }
  SVC_CHECK(m_flags.servers->agree(spec, false, true));
  std::vector<mcp::ServerSpec> specs;
  specs.push_back(std::move(spec));
  SVC_CHECK(m_flags.servers->start(std::move(specs), cancel));
  m_calls->replace_served(m_flags.served(m_calls->tools()));
  return {};
}

void TurnTools::refresh(const CancelToken& cancel) {
  if (!m_calls || !m_flags.servers->refresh(cancel)) return;
  m_calls->replace_served(m_flags.served(m_calls->tools()));
}

Result<void> TurnTools::add(const std::string& flag, const CancelToken& cancel) {
  const Flags<catalogue::k_tool_fields> flags(m_session.inputs());
  SVC_TRY(tool, read_tool_program(flag, true, cancel, flags.get<"tool-env">()));
  m_calls->add(std::move(tool));
  // An MCP tool of the same name is renamed.
  m_calls->replace_served(m_flags.served(m_calls->tools()));
  return {};
}

std::vector<std::string> TurnTools::names() const {
  std::vector<std::string> names;
  if (!m_calls) return names;
  for (const ToolProgram& tool : m_calls->tools()) names.push_back(tool.name);
  return names;
}

std::string TurnTools::permissions() const {
  std::string text;
  for (const ToolProgram& tool : m_calls ? m_calls->tools() : std::vector<ToolProgram>()) {
    text += fmt::format(
        "{}  {}\n", tool.name,
        m_calls->is_allowed(tool) ? "runs without asking" : "svc asks before each call");
  }
  return text;
}

Result<void> TurnTools::revoke(const std::string& name) {
  if (!m_calls || m_calls->find(name) == nullptr) {
    return usage_error(fmt::format("no tool {}", shown(name)), "/tools lists the tools.");
  }
  m_calls->revoke(name);
  return {};
}

std::vector<std::string> TurnTools::definitions(View view) const {
  std::vector<std::string> texts;
  if (!m_calls) return texts;
  for (const ToolProgram& tool : m_calls->tools()) {
    OrderedJson function = parse_reply_in_order(tool.tool);
    // The service requires a schema, even for a function without arguments.
    if (!function.contains("parameters")) {
      function["parameters"] =
          OrderedJson{{"type", "object"}, {"properties", OrderedJson::object()}};
    }
    if (view == View::Chat) {
      function.erase("type");
      function = OrderedJson{{"type", "function"}, {"function", std::move(function)}};
    }
    texts.push_back(compact_json(function));
  }
  return texts;
}

std::vector<ToolCall> TurnTools::own_calls(const Answer& answer, std::string_view tools) const {
  std::vector<ToolCall> own;
  if (empty() || answer.choices.empty()) return own;
  for (const ToolCall& call : answer.choices.front().tool_calls) {
    if (!call.runs_on_service) own.push_back(call);
  }
  const nlohmann::json offered = parse_reply(tools);
  for (const ToolCall& call : own) {
    if (m_calls->find(call.name) == nullptr && is_offered(offered, call.name)) return {};
  }
  return own;
}

void TurnTools::collect(ToolRound& round) {
  m_flags.servers->report_changes();
  for (ToolCalls::Finished& answer : m_calls->take()) {
    if (!answer.said.empty()) m_session.notices().aside(answer.said);
    m_session.notices().note(answer.note);
    round.answers.push_back(std::move(answer));
  }
}

Result<void> TurnTools::step(const CancelToken& cancel, ToolRound& round) {
  if (const std::string question = m_calls->question(); !question.empty()) {
    // Calls that need no confirmation run meanwhile.
    SVC_TRY(answer, m_ask ? m_ask(question, cancel) : ask_on_terminal(m_session, question, cancel));
    m_calls->decide(answer.consent, answer.reason);
  } else {
    std::vector<pollfd> waits;
    for (const int fd : m_calls->descriptors()) waits.push_back({fd, POLLIN, 0});
    (void)wait(waits, after(k_tick), cancel);
    m_session.tick();
  }
  collect(round);
  if (const auto fault = cancel.requested()) return canceled(*fault);
  return {};
}

ToolRound TurnTools::run(const std::vector<ToolCall>& calls, const CancelToken& cancel) {
  ToolRound round;
  for (const ToolCall& call : calls) m_calls->call(call);
  collect(round);
  m_session.progress().start(fmt::format("running {}", names_of(calls)));
  while (m_calls->busy() && !round.stopped) {
    if (auto done = step(cancel, round); !done) round.stopped = std::move(done).error();
  }
  m_session.progress().finish();
  m_calls->forget();
  // Every call has one answer; they are returned in the order of the calls.
  std::vector<ToolCalls::Finished> ordered;
  for (const ToolCall& call : calls) {
    const auto found =
        std::find_if(round.answers.begin(), round.answers.end(),
                     [&](const ToolCalls::Finished& one) { return one.call == call.id; });
    if (found != round.answers.end()) {
      ordered.push_back(std::move(*found));
      round.answers.erase(found);
    } else {
      ordered.push_back({.call = call.id, .output = R"({"error":"the user stopped it"})"});
    }
  }
  round.answers = std::move(ordered);
  return round;
}

ToolRound TurnTools::refuse(const std::vector<ToolCall>& calls, const std::string& why) {
  ToolRound round;
  for (const ToolCall& call : calls) m_calls->refuse(call, why);
  round.answers = m_calls->take();
  return round;
}

}  // namespace svc::cli
