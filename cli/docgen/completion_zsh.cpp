#include <fmt/format.h>

#include "base/text.h"
#include "docgen/completion_shell.h"
#include "docgen/completions.h"

namespace svc::docgen {
namespace {

constexpr sv k_zsh_head = R"(#compdef svc
# zsh completion for svc
# Generated from the catalogue by svc-regen; edit lib/catalogue instead.
)";

constexpr sv k_zsh_tail = R"zsh(
# Offers what the kind of value $1 allows.
_svc_offer() {
  case $1 in
    ('words '*) compadd -- ${=1#words } ;;
    ('ask '*)
      compadd -- ${(f)"$("${(Q)words[1]}" __complete ${1#ask } "${(Q@)words[2,-1]}" 2>/dev/null)"}
      ;;
    (file) _files ;;
    (at) compset -P '@' && _files ;;
    (free) _message 'value' ;;
  esac
}

_svc() {
  local command= flag= settled= dashes= word REPLY
  local -a reply
  local -i i place=0
  for ((i = 2; i < CURRENT; i++)); do
    word=${(Q)words[i]}
    if [[ -n $flag ]]; then
      flag=
    elif [[ -z $dashes && $word == -- ]]; then
      dashes=1
    elif [[ -z $dashes && $word == -?* ]]; then
      [[ $word == *=* ]] && continue
      _svc_values "$command" "$word"
      [[ -n $REPLY ]] && flag=$word
    else
      _svc_words "$command"
      if [[ -z $settled$dashes && -n ${reply[(r)${(b)word}:*]} ]]; then
        command+=${command:+ }$word
      else
        settled=1
        place+=1
      fi
    fi
  done
  if [[ -z $flag$dashes && $PREFIX == --*=* ]]; then
    flag=${PREFIX%%=*}
    compset -P '*='
  fi
  if [[ -n $flag ]]; then
    _svc_values "$command" "$flag"
    _svc_offer "$REPLY"
  elif [[ -z $dashes && $PREFIX == -* ]]; then
    _svc_flags "$command"
    _describe -o 'flag' reply
  else
    if [[ -z $settled$dashes ]]; then
      _svc_words "$command"
      (($#reply)) && _describe 'command' reply
    fi
    _svc_values "$command" "@$((place + 1))"
    [[ -n $REPLY ]] || _svc_values "$command" @rest
    _svc_offer "$REPLY"
  fi
}

# Loaded from $fpath this file is the function itself; sourced it only defines it.
if [[ $funcstack[1] == _svc ]]; then
  _svc "$@"
else
  compdef _svc svc
fi
)zsh";

/// A colon ends the name, for _describe.
std::string described(const std::string& name, const std::string& help) {
  return single_quoted(replace_all(name, ":", "\\:") + ":" + help);
}

std::string zsh_words_function(const CompletionModel& model) {
  std::string text =
      "\n# The words that may follow the command $1.\n_svc_words() {\n  reply=()\n  case $1 in\n";
  for (std::size_t i = 0; i < model.words.size();) {
    const std::string& after = model.words[i].after;
    text += fmt::format("    ('{}')\n      reply=(\n", after);
    for (; i < model.words.size() && model.words[i].after == after; ++i) {
      text += fmt::format("        {}\n", described(model.words[i].word, model.words[i].help));
    }
    text += "      )\n      ;;\n";
  }
  return text + "  esac\n}\n";
}

std::string zsh_offered(const std::vector<CompletionFlag>& flags, sv indent) {
  std::string text;
  for (const CompletionFlag& flag : flags) {
    if (flag.offered) text += fmt::format("{}{}\n", indent, described(flag.name, flag.help));
  }
  return text;
}

std::string zsh_flags_function(const CompletionModel& model) {
  std::string text = "\n# The flags of the command $1.\n_svc_flags() {\n  reply=()\n  case $1 in\n";
  for (const CompletionCommand& command : model.commands) {
    const std::string names = zsh_offered(command.flags, "        ");
    if (names.empty()) continue;
    text +=
        fmt::format("    ({})\n      reply=(\n{}      )\n      ;;\n", case_labels(command), names);
  }
  return text +
         fmt::format("  esac\n  reply+=(\n{}  )\n}}\n", zsh_offered(model.global_flags, "    "));
}

}  // namespace

std::string zsh_completion(std::span<const Group> groups) {
  const CompletionModel model = completion_model(groups);
  return fmt::format("{}{}{}{}{}", k_zsh_head, zsh_words_function(model), zsh_flags_function(model),
                     values_function(model), k_zsh_tail);
}

}  // namespace svc::docgen
