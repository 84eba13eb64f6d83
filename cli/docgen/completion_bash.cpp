#include <fmt/format.h>

#include "base/text.h"
#include "docgen/completion_shell.h"
#include "docgen/completions.h"

namespace svc::docgen {
namespace {

constexpr sv k_head = R"(# bash completion for svc
# Generated from the catalogue by svc-regen; edit lib/catalogue instead.
)";

constexpr sv k_tail = R"bash(
# Adds to COMPREPLY what the kind of value $1 allows for the word $2.
_svc_offer() {
  local path words IFS=$' \t\n'
  case $1,$2 in
    ('words '*) COMPREPLY+=($(compgen -W "${1#words }" -- "$2")) ;;
    ('ask '*)
      # The candidates hold nothing that the shell would expand.
      words=$("${COMP_WORDS[0]}" __complete "${1#ask }" "${COMP_WORDS[@]:1}" 2>/dev/null)
      COMPREPLY+=($(compgen -W "$words" -- "$2"))
      ;;
    (file,*)
      compopt -o filenames 2>/dev/null
      while IFS= read -r path; do COMPREPLY+=("$path"); done < <(compgen -f -- "$2")
      ;;
    (at,@*)
      compopt -o nospace 2>/dev/null
      while IFS= read -r path; do
        if [[ -d $path ]]; then path+=/; else path+=' '; fi
        COMPREPLY+=("@$(_svc_quote "$path")")
      done < <(compgen -f -- "${2#@}")
      ;;
  esac
}

# $1 as a word of the shell, but for a blank or slash at its end.
_svc_quote() {
  local last=${1: -1}
  printf '%q%s' "${1%?}" "$last"
}

_svc() {
  local current=$2 command= flag= glue= settled= dashes= taken= value= word REPLY
  local -i i place=0 last=COMP_CWORD
  COMPREPLY=()
  # bash cuts words at =, : and @, so one value may come in several pieces; in $2, which is what
  # will be replaced, the @ is there again.
  if [[ $current == @* && ${COMP_WORDS[last]} != [=:@]* ]]; then
    last+=-1
  elif [[ ${COMP_WORDS[last]} == : ]]; then
    current= last+=1
  elif [[ ${COMP_WORDS[last]} == [=:]*: ]]; then
    return
  fi
  for ((i = 1; i < last; i++)); do
    word=${COMP_WORDS[i]}
    if [[ $word == [=:@]* ]]; then
      [[ $word == @ && -z $flag ]] && settled=1 place+=1
      value+=$word
      glue=1
    elif [[ -n $glue ]]; then
      value+=$word
      glue= flag=
    elif [[ -n $flag ]]; then
      taken=$flag value=$word
      flag=
    elif [[ -z $dashes && $word == -- ]]; then
      dashes=1 taken=
    elif [[ -z $dashes && $word == -?* ]]; then
      taken=
      _svc_values "$command" "$word"
      [[ -n $REPLY ]] && flag=$word
    else
      taken=
      _svc_words "$command"
      if [[ -z $settled$dashes && " $REPLY " == *" $word "* ]]; then
        command+=${command:+ }$word
      else
        settled=1
        place+=1
      fi
    fi
  done
  if [[ -n $flag ]]; then
    _svc_values "$command" "$flag"
    _svc_offer "$REPLY" "$current"
  elif [[ -n $glue && -n $taken ]]; then
    # Of candidates with colons only what is not typed yet is offered.
    _svc_values "$command" "$taken"
    [[ $REPLY == 'ask '* || $REPLY == 'words '* ]] && _svc_offer "$REPLY" "$value$current"
    COMPREPLY=("${COMPREPLY[@]#"$value"}")
  elif [[ -n $glue ]]; then
    return
  elif [[ -z $dashes && $current == -* ]]; then
    _svc_flags "$command"
    _svc_offer "words $REPLY" "$current"
  else
    if [[ -z $settled$dashes ]]; then
      _svc_words "$command"
      _svc_offer "words $REPLY" "$current"
    fi
    _svc_values "$command" "@$((place + 1))"
    [[ -n $REPLY ]] || _svc_values "$command" @rest
    _svc_offer "$REPLY" "$current"
  fi
}

complete -F _svc svc
)bash";

std::string words_function(const CompletionModel& model) {
  std::string text =
      "\n# The words that may follow the command $1.\n_svc_words() {\n  case $1 in\n";
  for (std::size_t i = 0; i < model.words.size();) {
    const std::string& after = model.words[i].after;
    std::string words;
    for (; i < model.words.size() && model.words[i].after == after; ++i) {
      words += (words.empty() ? "" : " ") + model.words[i].word;
    }
    text += fmt::format("    ('{}') REPLY='{}' ;;\n", after, words);
  }
  return text + "    (*) REPLY= ;;\n  esac\n}\n";
}

std::string offered(const std::vector<CompletionFlag>& flags) {
  std::string names;
  for (const CompletionFlag& flag : flags) {
    if (flag.offered) names += (names.empty() ? "" : " ") + flag.name;
  }
  return names;
}

std::string flags_function(const CompletionModel& model) {
  std::string text = "\n# The flags of the command $1.\n_svc_flags() {\n  case $1 in\n";
  for (const CompletionCommand& command : model.commands) {
    const std::string names = offered(command.flags);
    if (!names.empty())
      text += fmt::format("    ({}) REPLY='{}' ;;\n", case_labels(command), names);
  }
  return text + fmt::format("    (*) REPLY= ;;\n  esac\n  REPLY+=' {}'\n}}\n",
                            offered(model.global_flags));
}

}  // namespace

std::string bash_completion(std::span<const Group> groups) {
  const CompletionModel model = completion_model(groups);
  return fmt::format("{}{}{}{}{}", k_head, words_function(model), flags_function(model),
                     values_function(model), k_tail);
}

std::string completion_script(sv shell, std::span<const Group> groups) {
  if (shell == "bash") return bash_completion(groups);
  if (shell == "zsh") return zsh_completion(groups);
  if (shell == "fish") return fish_completion(groups);
  return {};
}

}  // namespace svc::docgen
