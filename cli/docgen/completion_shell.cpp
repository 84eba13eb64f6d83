#include "docgen/completion_shell.h"

#include <fmt/format.h>

#include "base/text.h"

namespace svc::docgen {
namespace {

std::string value_cases(const std::vector<CompletionClass>& classes, sv indent) {
  std::string text;
  for (const CompletionClass& one : classes) {
    text += fmt::format("{}({}) REPLY={} ;;\n", indent, joined(one.names, "|"),
                        single_quoted(value_kind(one.value)));
  }
  return text;
}

}  // namespace

std::string single_quoted(sv text) {
  return "'" + replace_all(std::string(text), "'", "'\\''") + "'";
}

std::string joined(const std::vector<std::string>& words, sv separator) {
  const std::vector<sv> parts(words.begin(), words.end());
  return join(parts, separator);
}

std::string case_labels(const CompletionCommand& command) {
  std::vector<std::string> labels;
  for (const std::string& name : command.names) labels.push_back(single_quoted(name));
  return joined(labels, "|");
}

std::string value_kind(const CompletionValue& value) {
  switch (value.values) {
    case Values::None:
      return "";
    case Values::Free:
      return "free";
    case Values::SplitArgs:
      return "words " + joined(value.words, " ");
    case Values::File:
      return "file";
    case Values::AtFile:
      return "at";
    case Values::Ask:
      return "ask " + value.words.front();
  }
  return "";
}

std::string values_function(const CompletionModel& model) {
  std::string text =
      "\n# What stands for the value of the flag $2 of the command $1, or for its argument @1, "
      "@2,\n"
      "# ... and @rest; empty when nothing does.\n_svc_values() {\n  REPLY=\n  case $1 in\n";
  for (const CompletionCommand& command : model.commands) {
    const std::string cases = value_cases(value_classes(command.flags, &command), "        ");
    if (cases.empty()) continue;
    text += fmt::format("    ({})\n      case $2 in\n{}      esac\n      ;;\n",
                        case_labels(command), cases);
  }
  text += "  esac\n  [[ -n $REPLY ]] && return\n  case $2 in\n";
  return text + value_cases(value_classes(model.global_flags, nullptr), "    ") + "  esac\n}\n";
}

}  // namespace svc::docgen
