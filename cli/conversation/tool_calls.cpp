#include "conversation/tool_calls.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "json/document.h"
#include "json/text.h"

namespace svc::cli {
namespace {

/// What the model is told instead of an output, or about it.
std::string tool_error_output(const std::string& why, const ToolEnd& end = {}) {
  OrderedJson told = {{"error", why}};
  if (!end.output.empty()) told["output"] = end.output;
  if (!end.complaint.empty()) told["stderr"] = end.complaint;
  return compact_json(told);
}

/// "weather {"city":"Oslo"}", for a line.
std::string shown_call(const ToolCalls::Call& call) {
  return fmt::format("{} {}", shown(call.name, 64), shown(call.arguments, 120));
}

/// Whether a pattern with * names `text`, or with `begins` something that begins so.
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

}  // namespace

bool AllowedTools::has(const ToolProgram& tool) const {
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
      return usage_error(fmt::format("--allow-tools: there is no tool {}", shown(name)),
                         fmt::format("It takes all, or names separated by commas{}{}.",
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
    // Another program: what was allowed to the one before counts no more.
    if (one.program != tool.program) m_allowed.names.erase(tool.name);
    one = std::move(tool);
    return;
  }
  m_tools.push_back(std::move(tool));
}

void ToolCalls::replace_served(std::vector<ToolProgram> tools) {
  // A name that another tool takes over loses what the user allowed the one before.
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

void ToolCalls::call(Call wanted) {
  const ToolProgram* tool = find(wanted.name);
  if (tool == nullptr) return refuse(wanted, "there is no such function here");
  if (wanted.arguments.empty()) wanted.arguments = "{}";
  if (check_json(wanted.arguments)) return refuse(wanted, "the arguments are not JSON");
  if (m_allowed.has(*tool)) return start(wanted);
  m_asked.push_back(std::move(wanted));
}

std::string ToolCalls::question() const {
  if (m_asked.empty()) return {};
  const Call& wanted = m_asked.front();
  const ToolProgram* tool = find(wanted.name);
  return fmt::format("run {} ({}) with {}?", wanted.name,
                     visible(tool != nullptr ? tool->program : std::string(), Lines::Escape),
                     visible(wanted.arguments, Lines::Escape));
}

void ToolCalls::decide(ToolConsent consent, const std::string& reason) {
  if (m_asked.empty()) return;
  const Call wanted = std::move(m_asked.front());
  m_asked.pop_front();
  if (consent == ToolConsent::No) {
    return refuse(wanted, reason.empty() ? std::string("the user does not allow it")
                                         : fmt::format("the user does not allow it: {}", reason));
  }
  start(wanted);
  if (consent == ToolConsent::Once) return;
  m_allowed.names.insert(wanted.name);
  // Others of the same program need no second answer.
  for (auto other = m_asked.begin(); other != m_asked.end();) {
    if (other->name != wanted.name) {
      ++other;
      continue;
    }
    start(*other);
    other = m_asked.erase(other);
  }
}

void ToolCalls::start(const Call& wanted) {
  m_waiting.push_back(wanted);
  start_waiting();
}

void ToolCalls::start_waiting() {
  while (!m_waiting.empty() && m_runs.size() < k_most_tool_runs) {
    const Call wanted = std::move(m_waiting.front());
    m_waiting.pop_front();
    const ToolProgram* tool = find(wanted.name);
    if (tool == nullptr) {
      refuse(wanted, "this function is no longer available");
      continue;
    }
    m_runs.emplace_back(wanted, *tool, m_limits);
  }
}

void ToolCalls::refuse(const Call& wanted, const std::string& why) {
  m_answers.push_back({.call = wanted.id,
                       .output = tool_error_output(why),
                       .note = fmt::format("{}: {}", shown_call(wanted), why)});
}

ToolCalls::Answer ToolCalls::answer_of(Running& running) {
  ToolEnd end = running.run.take();
  const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(
      std::chrono::steady_clock::now() - running.begin);
  Answer answer{.call = running.call.id};
  const std::string size = format_bytes(end.output.size());
  std::string outcome = fmt::format("{} of output", size);
  if (end.error) {
    answer.output = tool_error_output(end.error->message, end);
    outcome = shown(end.error->message, 300);
  } else {
    answer.output = std::move(end.output);
    if (end.cut) {
      outcome = fmt::format("cut after {} of output", size);
      answer.output += fmt::format("\n[cut: there was more than {} of output]", size);
    }
  }
  if (!end.images.empty()) {
    outcome += fmt::format(", {} image{}", end.images.size(), end.images.size() == 1 ? "" : "s");
  }
  answer.images = std::move(end.images);
  answer.said = std::move(end.complaint);
  answer.note = fmt::format("{}: {}, {}", shown_call(running.call), outcome, format_duration(took));
  return answer;
}

std::vector<ToolCalls::Answer> ToolCalls::take() {
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
  // All are asked before one is waited for: each may take a second.
  for (Running& running : m_runs) running.run.ask();
  m_runs.clear();
  m_waiting.clear();
  m_asked.clear();
  m_answers.clear();
}

}  // namespace svc::cli
