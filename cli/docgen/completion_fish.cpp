#include <fmt/format.h>

#include "base/text.h"
#include "docgen/completion_shell.h"
#include "docgen/completions.h"

namespace svc::docgen {
namespace {

constexpr sv k_fish_head = R"(# fish completion for svc
# Generated from the catalogue by svc-regen; edit lib/catalogue instead.
)";

constexpr sv k_fish_tail = R"fish(
# Offers what the kind of value $argv[1] allows for the word $argv[2]; $argv[3] stands before it.
function __svc_offer
    set -l kind (string split -m 1 ' ' -- $argv[1])
    switch "$kind[1]"
        case words
            for word in (string split ' ' -- $kind[2])
                echo -- $argv[3]$word
            end
        case ask
            set -l line (commandline -opc)
            for word in ($line[1] __complete $kind[2] $line[2..-1] 2>/dev/null)
                echo -- $argv[3]$word
            end
        case file
            for path in (__fish_complete_path $argv[2])
                echo -- $argv[3]$path
            end
        case at
            string match -q -- '@*' $argv[2]; or return
            for path in (__fish_complete_path (string sub -s 2 -- $argv[2]))
                echo -- $argv[3]@$path
            end
    end
end

function __svc_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l command ''
    set -l flag ''
    set -l settled 0
    set -l dashes 0
    set -l place 1
    set -e words[1]
    for word in $words
        if test -n "$flag"
            set flag ''
        else if test $dashes = 0 -a "x$word" = x--
            set dashes 1
        else if test $dashes = 0; and string match -q -- '-?*' $word
            if not string match -q -- '*=*' $word; and test -n "$(__svc_values "$command" $word)"
                set flag $word
            end
        else if test $settled$dashes = 00; and contains -- $word (__svc_words "$command" | string replace -r '\t.*' '')
            set command (string trim -- "$command $word")
        else
            set settled 1
            set place (math $place + 1)
        end
    end
    if test -n "$flag"
        __svc_offer "$(__svc_values "$command" $flag)" "$current" ''
    else if test $dashes = 0; and string match -q -- '--*=*' $current
        set -l parts (string split -m 1 = -- $current)
        __svc_offer "$(__svc_values "$command" $parts[1])" "$parts[2]" $parts[1]=
    else if test $dashes = 0; and string match -q -- '-*' $current
        __svc_flags "$command"
    else
        if test $settled$dashes = 00
            __svc_words "$command"
        end
        set -l kind "$(__svc_values "$command" @$place)"
        test -n "$kind"; or set kind "$(__svc_values "$command" @rest)"
        __svc_offer "$kind" "$current" ''
    end
end

complete -c svc -f -a '(__svc_complete)'
)fish";

std::string fish_quoted(sv text) {
  return "'" + replace_all(replace_all(std::string(text), "\\", "\\\\"), "'", "\\'") + "'";
}

std::string labels(const CompletionCommand& command) {
  std::string all;
  for (const std::string& name : command.names) all += " " + fish_quoted(name);
  return all;
}

/// Lines of a candidate, a tab and what it means.
std::string candidate(const std::string& word, const std::string& help) {
  return fmt::format(" \\\n                {} {}", fish_quoted(word), fish_quoted(help));
}

std::string fish_words_function(const CompletionModel& model) {
  std::string text =
      "\n# The words that may follow the command $argv[1].\nfunction __svc_words\n    switch "
      "$argv[1]\n";
  for (std::size_t i = 0; i < model.words.size();) {
    const std::string& after = model.words[i].after;
    text += fmt::format("        case {}\n            printf '%s\\t%s\\n'", fish_quoted(after));
    for (; i < model.words.size() && model.words[i].after == after; ++i) {
      text += candidate(model.words[i].word, model.words[i].help);
    }
    text += '\n';
  }
  return text + "    end\nend\n";
}

std::string fish_offered(const std::vector<CompletionFlag>& flags) {
  std::string text;
  for (const CompletionFlag& flag : flags) {
    if (flag.offered) text += candidate(flag.name, flag.help);
  }
  return text;
}

std::string fish_flags_function(const CompletionModel& model) {
  std::string text =
      "\n# The flags of the command $argv[1].\nfunction __svc_flags\n    switch $argv[1]\n";
  for (const CompletionCommand& command : model.commands) {
    const std::string names = fish_offered(command.flags);
    if (names.empty()) continue;
    text +=
        fmt::format("        case{}\n            printf '%s\\t%s\\n'{}\n", labels(command), names);
  }
  return text +
         fmt::format("    end\n    printf '%s\\t%s\\n'{}\nend\n", fish_offered(model.global_flags));
}

std::string fish_value_cases(const std::vector<CompletionClass>& classes, sv indent) {
  std::string text;
  for (const CompletionClass& one : classes) {
    text += fmt::format("{0}case {1}\n{0}    echo {2}\n{0}    return\n", indent,
                        joined(one.names, " "), fish_quoted(value_kind(one.value)));
  }
  return text;
}

std::string fish_values_function(const CompletionModel& model) {
  std::string text =
      "\n# What stands for the value of the flag $argv[2] of the command $argv[1], or for its\n"
      "# argument @1, @2, ... and @rest; nothing when nothing does.\n"
      "function __svc_values\n    switch $argv[1]\n";
  for (const CompletionCommand& command : model.commands) {
    const std::string cases =
        fish_value_cases(value_classes(command.flags, &command), "                ");
    if (cases.empty()) continue;
    text += fmt::format("        case{}\n            switch $argv[2]\n{}            end\n",
                        labels(command), cases);
  }
  text += "    end\n    switch $argv[2]\n";
  return text + fish_value_cases(value_classes(model.global_flags, nullptr), "        ") +
         "    end\nend\n";
}

}  // namespace

std::string fish_completion(std::span<const Group> groups) {
  const CompletionModel model = completion_model(groups);
  return fmt::format("{}{}{}{}{}", k_fish_head, fish_words_function(model),
                     fish_flags_function(model), fish_values_function(model), k_fish_tail);
}

}  // namespace svc::docgen
