#include "conversation/tool_calls.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/counted.h"
#include "base/text.h"
#include "json/document.h"
#include "json/text.h"
#include "print/width.h"
#include "terminal/stdin_buffer.h"

namespace svc::cli {
namespace {

/// The output that the model receives for a failed call.
std::string tool_error_output(const std::string& why, const ToolEnd& end = {}) {
  OrderedJson answer = {{"error", why}};
  if (!end.output.empty()) answer["output"] = end.output;
  if (!end.complaint.empty()) answer["stderr"] = end.complaint;
  return compact_json(answer);
}

/// A call on one line: "weather {"city":"Oslo"}".
std::string shown_call(const ToolCall& call) {
  return fmt::format("{} {}", shown(call.name), shown(call.arguments));
}

/// Whether a pattern with * matches `text`; with `begins`, whether it can match a text that starts
/// so.
bool matches(sv pattern, sv text, bool begins = false) {
  while (!pattern.empty() && !text.empty() && pattern.front() == text.front() &&
         pattern.front() != '*') {
    pattern.remove_prefix(1);
    text.remove_prefix(1);
  }
  if (text.empty() && begins) return true;
  if (pattern.empty()) return text.empty();
  if (pattern.front() != '*') return false;
  const sv rest = pattern.substr(1);
  if (rest.empty()) return true;
  if (rest.front() == '*') return matches(rest, text, begins);
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (matches(rest, text.substr(i), begins)) return true;
  }
  return false;
}

bool names_server(sv name, const std::vector<std::string>& servers) {
  return std::any_of(servers.begin(), servers.end(), [&](const std::string& server) {
    return matches(name, server + ".", true) && name != server;
  });
}

constexpr sv k_choices = "(e: no, because …) [y]es, [n]o, [a]lways: ";
constexpr sv k_plain_choices = "(e: no, because ...) [y]es, [n]o, [a]lways: ";
constexpr sv k_spoken_choices =
    "Type y for yes, n for no, a for always, or e for no with a reason: ";

/// The longest answer echoed after the question.
constexpr sv k_answer = "always";

class Question {
 public:
  Question(Session& session, const std::string& question, RawTerminal& terminal,
           const CancelToken& cancel, const TypedAhead& ahead)
      : m_session(session), m_terminal(terminal), m_cancel(cancel), m_ahead(ahead) {
    const TerminalSize size = terminal.size();
    m_columns = std::max<std::size_t>(size.columns, 20) - 1;
    const std::size_t rows = std::max<std::size_t>(size.lines, 6) - 3;
    m_screens = screens_of(print::fold(question, m_columns), m_columns, rows);
  }

  Result<ToolDecision> ask() {
    (void)m_terminal.enter();
    for (std::size_t shown = 0;; ++shown) {
      const bool last = shown + 1 >= m_screens.size();
      std::string text = m_screens[shown] + (m_screens.size() > 1 ? "\n" : " ");
      if (!last) {
        text +=
            fmt::format("-- {} of {}; Enter or space shows more -- ", shown + 1, m_screens.size());
      }
      const Result<KeyChoice> typed =
          ask_question(m_session, m_terminal, text + choices_behind(text), last ? "ynae" : "ynae ",
                       m_cancel, m_ahead);
      if (!typed) {
        SVC_CHECK(m_session.say("\n"));  // later output starts on its own line
        return typed.error();
      }
      if (typed->key != ' ') return decided(*typed);
      SVC_CHECK(m_session.say("\n"));
    }
  }

 private:
  /// The choices, on a new line if this one has no room for them and the answer.
  [[nodiscard]] std::string choices_behind(sv text) const {
    const print::Terminal& terminal = m_session.err().terminal();
    const sv choices = terminal.dumb   ? k_spoken_choices
                       : terminal.utf8 ? k_choices
                                       : k_plain_choices;
    const sv line = text.substr(text.rfind('\n') + 1);
    const std::size_t room = m_columns - k_answer.size();
    const bool fits = print::display_width(line) + print::display_width(choices) <= room;
    return (fits || line.empty() ? "" : "\n") + print::fold(choices, room);
  }

  Result<ToolDecision> decided(const KeyChoice& typed) {
    const char key = typed.key;
    const bool asks_why = key == 'e' && typed.rest.empty();
    if (asks_why) m_terminal.leave();  // the line is read with the terminal's own editing and echo
    SVC_CHECK(m_session.say(key == 'y'   ? "yes\n"
                            : key == 'a' ? "always\n"
                            : key != 'e' ? "no\n"
                            : asks_why   ? "No, because: "
                                         : "no: " + typed.rest + "\n"));
    if (key == 'y') return ToolDecision{ToolConsent::Once};
    if (key == 'a') return ToolDecision{ToolConsent::Always};
    if (!asks_why) return ToolDecision{ToolConsent::No, typed.rest};
    SVC_TRY(line, read_line(m_terminal.descriptor(), m_cancel));
    return ToolDecision{ToolConsent::No, std::string(trim(line.text))};
  }

  Session& m_session;
  RawTerminal& m_terminal;
  const CancelToken& m_cancel;
  const TypedAhead& m_ahead;
  std::size_t m_columns = 0;
  std::vector<std::string> m_screens{};
};

}  // namespace

bool AllowedTools::has(const ToolProgram& tool) const {
  if (asked.contains(tool.name)) return false;
  if (all || names.contains(tool.name)) return true;
  return !tool.address.empty() &&
         std::any_of(patterns.begin(), patterns.end(),
                     [&](const std::string& pattern) { return matches(pattern, tool.address); });
}

bool AllowedTools::has_server(std::string_view server) const {
  const std::string begin = std::string(server) + ".";
  return all || std::any_of(patterns.begin(), patterns.end(), [&](const std::string& pattern) {
           return matches(pattern, begin, true);
         });
}

Result<AllowedTools> read_allowed_tools(std::string_view text,
                                        const std::vector<ToolProgram>& tools,
                                        const std::vector<std::string>& servers) {
  AllowedTools allowed;
  std::vector<sv> names;
  for (const ToolProgram& tool : tools) names.emplace_back(tool.name);
  for (const sv part : split(text, ',')) {
    const sv name = trim(part);
    if (name == "all" || name == "*") {
      allowed.all = true;
    } else if (std::find(names.begin(), names.end(), name) != names.end()) {
      allowed.names.emplace(name);
    } else if (names_server(name, servers)) {
      allowed.patterns.emplace_back(name);
    } else {
      std::vector<std::string> served;
      for (const std::string& server : servers) served.push_back(server + ".TOOL");
      for (const std::string& one : served) names.emplace_back(one);
      return usage_error(fmt::format("--allow-tools: unknown tool {}", shown(name)),
                         fmt::format("It accepts all, or names separated by commas{}{}.",
                                     names.empty() ? "" : ": ", join(names, ", ")));
    }
  }
  return allowed;
}

const ToolProgram* not_allowed(const AllowedTools& allowed, const std::vector<ToolProgram>& tools) {
  for (const ToolProgram& tool : tools) {
    if (!allowed.has(tool)) return &tool;
  }
  return nullptr;
}

ToolCalls::ToolCalls(std::vector<ToolProgram> tools, AllowedTools allowed, ToolLimits limits)
    : m_tools(std::move(tools)), m_allowed(std::move(allowed)), m_limits(limits) {}

void ToolCalls::add(ToolProgram tool) {
  for (ToolProgram& one : m_tools) {
    if (one.name != tool.name) continue;
    // A different program under the same name: permissions no longer apply.
    if (one.program != tool.program) m_allowed.names.erase(tool.name);
    one = std::move(tool);
    return;
  }
  m_tools.push_back(std::move(tool));
}

void ToolCalls::replace_served(std::vector<ToolProgram> tools) {
  // If another tool takes over a name, its permissions are dropped.
  for (const ToolProgram& tool : tools) {
    const ToolProgram* before = find(tool.name);
    if (before == nullptr || before->address != tool.address) m_allowed.names.erase(tool.name);
  }
  std::erase_if(m_tools, [](const ToolProgram& tool) { return !tool.address.empty(); });
  for (ToolProgram& tool : tools) m_tools.push_back(std::move(tool));
}

const ToolProgram* ToolCalls::find(const std::string& name) const {
  for (const ToolProgram& tool : m_tools) {
    if (tool.name == name) return &tool;
  }
  return nullptr;
}

void ToolCalls::call(ToolCall wanted) {
  const ToolProgram* tool = find(wanted.name);
  if (tool == nullptr) return refuse(wanted, "unknown function");
  if (wanted.arguments.empty()) wanted.arguments = "{}";
  if (check_json(wanted.arguments)) return refuse(wanted, "the arguments are not JSON");
  if (m_allowed.has(*tool)) return start(wanted);
  m_asked.push_back(std::move(wanted));
}

std::string ToolCalls::question() const {
  if (m_asked.empty()) return {};
  const ToolCall& wanted = m_asked.front();
  const ToolProgram* tool = find(wanted.name);
  if (tool == nullptr) return fmt::format("run {}?", shown(wanted.name));
  const bool served = !tool->address.empty();
  const std::string runs = served ? visible(tool->program, Lines::Escape)
                                  : fmt::format("{}, with your permissions and environment",
                                                visible(tool->program, Lines::Escape));
  return fmt::format(
      "The model wants to run {} ({}).\n{}\n\"Always\" stops asking about {} until svc exits.\n"
      "run {}?",
      wanted.name, runs, shown_arguments(wanted.arguments), wanted.name, wanted.name);
}

void ToolCalls::revoke(const std::string& name) {
  m_allowed.names.erase(name);
  m_allowed.asked.insert(name);
}

void ToolCalls::decide(ToolConsent consent, const std::string& reason) {
  if (m_asked.empty()) return;
  const ToolCall wanted = std::move(m_asked.front());
  m_asked.pop_front();
  if (consent == ToolConsent::No) {
    return refuse(wanted, reason.empty() ? std::string("denied by the user")
                                         : fmt::format("denied by the user: {}", reason));
  }
  start(wanted);
  if (consent == ToolConsent::Once) return;
  m_allowed.names.insert(wanted.name);
  m_allowed.asked.erase(wanted.name);
  // Confirms other waiting calls of the same program.
  for (auto other = m_asked.begin(); other != m_asked.end();) {
    if (other->name != wanted.name) {
      ++other;
      continue;
    }
    start(*other);
    other = m_asked.erase(other);
  }
}

void ToolCalls::start(const ToolCall& wanted) {
  m_waiting.push_back(wanted);
  start_waiting();
}

void ToolCalls::start_waiting() {
  while (!m_waiting.empty() && m_runs.size() < k_max_tool_runs) {
    const ToolCall wanted = std::move(m_waiting.front());
    m_waiting.pop_front();
    const ToolProgram* tool = find(wanted.name);
    if (tool == nullptr) {
      refuse(wanted, "this function is no longer available");
      continue;
    }
    m_runs.emplace_back(wanted, *tool, m_limits);
  }
}

void ToolCalls::refuse(const ToolCall& wanted, const std::string& why) {
  m_answers.push_back({.call = wanted.id,
                       .output = tool_error_output(why),
                       .note = fmt::format("{}: {}", shown_call(wanted), why)});
}

ToolCalls::Finished ToolCalls::answer_of(Running& running) {
  ToolEnd end = std::move(running.run.result());
  const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(
      std::chrono::steady_clock::now() - running.begin);
  Finished answer{.call = running.call.id};
  const std::string size = format_bytes(end.output.size());
  std::string outcome = fmt::format("{} of output", size);
  if (end.error) {
    answer.output = tool_error_output(end.error->message, end);
    outcome = shown_message(end.error->message);
  } else {
    answer.output = std::move(end.output);
    if (end.cut) {
      outcome = fmt::format("truncated after {} of output", size);
      answer.output += fmt::format("\n[truncated: more than {} of output]", size);
    }
  }
  if (!end.images.empty()) {
    outcome += ", " + counted(end.images.size(), "image", "images");
  }
  answer.images = std::move(end.images);
  answer.said = std::move(end.complaint);
  answer.note = fmt::format("{}: {}, {}", shown_call(running.call), outcome, format_duration(took));
  return answer;
}

std::vector<ToolCalls::Finished> ToolCalls::take() {
  for (auto running = m_runs.begin(); running != m_runs.end();) {
    if (!running->run.over()) {
      ++running;
      continue;
    }
    m_answers.push_back(answer_of(*running));
    running = m_runs.erase(running);
  }
  start_waiting();
  return std::exchange(m_answers, {});
}

std::vector<int> ToolCalls::descriptors() const {
  std::vector<int> fds;
  for (const Running& running : m_runs) fds.push_back(running.run.descriptor());
  return fds;
}

void ToolCalls::forget() {
  // All are asked to exit before the first is waited for: each may take a second.
  for (Running& running : m_runs) running.run.cancel();
  m_runs.clear();
  m_waiting.clear();
  m_asked.clear();
  m_answers.clear();
}

std::string shown_arguments(const std::string& arguments) {
  OrderedJson rest = parse_reply_in_order(arguments);
  if (!rest.is_object()) return visible(arguments, Lines::Escape);
  if (rest.empty()) return "It gets no arguments.";
  std::string text;
  // Takes a string member out of the rest.
  const auto take = [&](sv names) -> std::optional<std::string> {
    for (const sv name : split(names, ' ')) {
      const auto found = rest.find(std::string(name));
      if (found == rest.end() || !found->is_string()) continue;
      const std::string value = visible(found->get<std::string>(), Lines::Keep);
      rest.erase(found);
      return value;
    }
    return std::nullopt;
  };
  const auto lines = [&](sv mark, const std::string& value) {
    for (const sv line : split(value, '\n')) text.append(mark).append(line).append("\n");
  };
  if (const auto command = take("command cmd script")) lines("  $ ", *command);
  if (rest.contains("new_string") || rest.contains("new_str") || rest.contains("new_text")) {
    if (const auto path = take("file_path path file")) lines("  --- ", *path);
    if (const auto before = take("old_string old_str old_text")) lines("  - ", *before);
    if (const auto after = take("new_string new_str new_text")) lines("  + ", *after);
  }
  if (!rest.empty())
    lines("  ",
          visible(rest.dump(2, ' ', false, OrderedJson::error_handler_t::replace), Lines::Keep));
  text.pop_back();
  return text;
}

std::vector<std::string> screens_of(sv text, std::size_t columns, std::size_t rows) {
  std::vector<std::string> screens(1);
  std::size_t width = 0;
  std::size_t row = 1;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    const bool newline = decode_utf8(text, at) == '\n';
    const sv character = text.substr(begin, at - begin);
    const std::size_t wide = newline ? 0 : print::display_width(character);
    if (newline || width + wide > columns) {
      ++row;
      width = 0;
    }
    if (row > rows) {
      screens.emplace_back();
      row = 1;
      if (newline) continue;
    }
    width += wide;
    screens.back() += character;
  }
  return screens;
}

Result<ToolDecision> ask_about_tool(Session& session, const std::string& question,
                                    RawTerminal& terminal, const CancelToken& cancel,
                                    const TypedAhead& ahead) {
  return Question(session, question, terminal, cancel, ahead).ask();
}

}  // namespace svc::cli
