#include "commands/realtime_talk_tools.h"

#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/json_text.h"
#include "base/text.h"

namespace svc::cli {
namespace {

/// What the model is told instead of an output.
std::string tool_error_output(const std::string& why) {
  using nlohmann::json;
  return json({{"error", why}}).dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace

TalkTools::TalkTools(std::vector<ToolProgram> tools, bool allowed, std::chrono::milliseconds limit)
    : m_tools(std::move(tools)), m_allowed(allowed), m_limit(limit) {}

const ToolProgram* TalkTools::find(const std::string& name) const {
  for (const ToolProgram& tool : m_tools) {
    if (tool.name == name) return &tool;
  }
  return nullptr;
}

void TalkTools::call(const voice::TalkEvent& event) {
  Wanted wanted{.call = event.id, .name = event.name, .arguments = event.text};
  if (find(wanted.name) == nullptr) return refuse(wanted, "there is no such function here");
  if (wanted.arguments.empty()) wanted.arguments = "{}";
  if (check_json(wanted.arguments)) return refuse(wanted, "the arguments are not JSON");
  if (m_allowed || m_allowed_names.contains(wanted.name)) return start(wanted);
  m_asked.push_back(std::move(wanted));
}

std::string TalkTools::question() const {
  if (m_asked.empty()) return {};
  const Wanted& wanted = m_asked.front();
  return fmt::format("run {} ({}) with {}? y/n", wanted.name,
                     visible(find(wanted.name)->program, Lines::Escape),
                     visible(excerpt(wanted.arguments, 200), Lines::Escape));
}

void TalkTools::decide(bool yes) {
  if (m_asked.empty()) return;
  const Wanted wanted = std::move(m_asked.front());
  m_asked.pop_front();
  if (!yes) return refuse(wanted, "the user does not allow it");
  m_allowed_names.insert(wanted.name);
  start(wanted);
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

void TalkTools::start(const Wanted& wanted) {
  m_runs.emplace_back(wanted, find(wanted.name)->program, m_limit);
}

void TalkTools::refuse(const Wanted& wanted, const std::string& why) {
  m_answers.push_back(
      {.call = wanted.call,
       .output = tool_error_output(why),
       .note = fmt::format("{}: {}", visible(excerpt(wanted.name, 64), Lines::Escape), why)});
}

std::vector<TalkTools::Answer> TalkTools::take() {
  for (auto running = m_runs.begin(); running != m_runs.end();) {
    if (!running->run.over()) {
      ++running;
      continue;
    }
    auto output = running->run.take();
    Answer answer{.call = running->call};
    answer.output = output ? *output : tool_error_output(output.error().message);
    answer.note =
        fmt::format("{}: {}", running->name,
                    output ? fmt::format("{} of output", format_bytes(output->size()))
                           : visible(excerpt(output.error().message, 300), Lines::Escape));
    m_answers.push_back(std::move(answer));
    running = m_runs.erase(running);
  }
  return std::exchange(m_answers, {});
}

std::vector<int> TalkTools::descriptors() const {
  std::vector<int> fds;
  for (const Running& running : m_runs) fds.push_back(running.run.descriptor());
  return fds;
}

void TalkTools::forget() {
  m_runs.clear();
  m_asked.clear();
  m_answers.clear();
}

}  // namespace svc::cli
