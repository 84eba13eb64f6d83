#include "docgen/readme.h"

#include <fmt/format.h>

#include "base/text.h"
#include "docgen/describe.h"

namespace svc::docgen {
namespace {

/// "svc chat [create] [PROMPT]".
std::string command(const Operation& operation) {
  constexpr sv k_flags = " [flags]";
  std::string line = usage(operation);
  line.resize(line.size() - k_flags.size());
  return line;
}

/// A bar would end the cell, in code too.
std::string cell(std::string text) {
  return replace_all(std::move(text), "|", "\\|");
}

}  // namespace

std::string command_table(std::span<const Group> groups) {
  std::string table = "| Command | What it does | Request |\n|---|---|---|\n";
  bool observed = false;
  for (const Group& group : groups) {
    for (const Operation& operation : group.operations) {
      const std::string request = request_line(operation);
      const bool dagger = operation.source == Source::Observed;
      observed = observed || dagger;
      table += fmt::format("| `{}`{} | {} | {} |\n", cell(command(operation)), dagger ? " †" : "",
                           cell(std::string(operation.summary)),
                           request.empty() ? "" : fmt::format("`{}`", cell(request)));
    }
  }
  if (observed) table += "\n† observed, not documented\n";
  return table;
}

Result<std::string> with_command_table(sv readme, sv table) {
  const std::size_t begin = readme.find(k_commands_begin);
  const std::size_t end = readme.find(k_commands_end);
  const bool once = begin != sv::npos && end != sv::npos && begin < end &&
                    readme.find(k_commands_begin, begin + 1) == sv::npos &&
                    readme.find(k_commands_end, end + 1) == sv::npos;
  if (!once) {
    return Error{Fault::Local,
                 fmt::format("README.md lacks the lines {} and {}, once each and in this order",
                             k_commands_begin, k_commands_end)};
  }
  return fmt::format("{}\n{}{}", readme.substr(0, begin + k_commands_begin.size()), table,
                     readme.substr(end));
}

}  // namespace svc::docgen
