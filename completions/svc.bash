# bash completion for svc
# Generated from the catalogue by svc-regen; edit lib/catalogue instead.

# The words that may follow the command $1.
_svc_words() {
  case $1 in
    ('') REPLY='chat responses tokenize keys api operations auth config completion emulator doctor' ;;
    ('chat') REPLY='create deferred' ;;
    ('responses') REPLY='create get compact delete inputs' ;;
    ('keys') REPLY='self' ;;
    ('auth') REPLY='login logout status' ;;
    ('config') REPLY='get set list path' ;;
    (*) REPLY= ;;
  esac
}

# The flags of the command $1.
_svc_flags() {
  case $1 in
    ('chat create'|'chat') REPLY='--prompt --model --system --message --image --file --messages --deferred --no-deferred --frequency-penalty --max-completion-tokens --n --presence-penalty --reasoning-effort --response-format --seed --stop --stream-options-include-usage --no-stream-options-include-usage --tool-choice --tools --temperature --top-p --logprobs --no-logprobs --top-logprobs --parallel-tool-calls --no-parallel-tool-calls --prompt-cache-key --service-tier --user --stream --no-stream --search-parameters-mode --search-parameters-sources --search-parameters-from-date --search-parameters-to-date --search-parameters-max-search-results --search-parameters-return-citations --no-search-parameters-return-citations --wait --no-wait --poll-interval --wait-timeout' ;;
    ('chat deferred') REPLY='--request-id --wait --no-wait --poll-interval --wait-timeout' ;;
    ('responses create'|'responses') REPLY='--input --input-items --message --image --file --model --instructions --previous-response-id --store --no-store --include --max-output-tokens --max-turns --min-p --top-k --reasoning-effort --flat-reasoning-effort --text-format --tool-choice --tools --temperature --top-p --logprobs --no-logprobs --top-logprobs --parallel-tool-calls --no-parallel-tool-calls --prompt-cache-key --service-tier --user --stream --no-stream --search-parameters-mode --search-parameters-sources --search-parameters-from-date --search-parameters-to-date --search-parameters-max-search-results --search-parameters-return-citations --no-search-parameters-return-citations' ;;
    ('responses get') REPLY='--response-id' ;;
    ('responses compact') REPLY='--input --input-items --message --image --file --model' ;;
    ('responses delete') REPLY='--response-id' ;;
    ('responses inputs') REPLY='--response-id --order --limit --all --no-all --page-size --pagination-token' ;;
    ('tokenize') REPLY='--text --model --user' ;;
    ('api') REPLY='--method --path --host --repeatable --no-repeatable' ;;
    ('auth login') REPLY='--management --no-management --check --no-check' ;;
    ('auth logout') REPLY='--management --no-management' ;;
    ('config get') REPLY='--name' ;;
    ('config set') REPLY='--name --value' ;;
    ('completion') REPLY='--shell' ;;
    ('emulator') REPLY='--port --state --tls --no-tls --cert --key --fault' ;;
    (*) REPLY= ;;
  esac
  REPLY+=' --profile --format --json --jq --output --force --header --body --set --timeout --connect-timeout --idle-timeout --retries --max-wait --dry-run --curl --verbose --quiet --color --no-progress --no-stdin --yes --base-url --management-url --realtime-url --docs-url --team-id --help --help-all'
}

# What stands for the value of the flag $2 of the command $1, or for its argument @1, @2,
# ... and @rest; empty when nothing does.
_svc_values() {
  REPLY=
  case $1 in
    ('chat create'|'chat')
      case $2 in
        (--prompt|--system|--message|--messages|--logit-bias|--response-format|--tools|--web-search-options-filters|--web-search-options-user-location|--search-parameters-sources|@1) REPLY='at' ;;
        (--model|--frequency-penalty|--max-completion-tokens|--max-tokens|--n|--presence-penalty|--seed|--stop|--web-search-options-search-context-size|--temperature|--top-p|--top-logprobs|--prompt-cache-key|--user|--search-parameters-from-date|--search-parameters-to-date|--search-parameters-max-search-results|--poll-interval|--wait-timeout) REPLY='free' ;;
        (--image|--file) REPLY='file' ;;
        (--reasoning-effort) REPLY='words none low medium high' ;;
        (--tool-choice) REPLY='words none auto required' ;;
        (--service-tier) REPLY='words default priority auto fast' ;;
        (--search-parameters-mode) REPLY='words off on auto' ;;
      esac
      ;;
    ('chat deferred')
      case $2 in
        (--request-id|--poll-interval|--wait-timeout|@1) REPLY='free' ;;
      esac
      ;;
    ('responses create'|'responses')
      case $2 in
        (--input|--input-items|--message|--instructions|--context-management|--metadata|--text-format|--tools|--search-parameters-sources|@1) REPLY='at' ;;
        (--image|--file) REPLY='file' ;;
        (--model|--previous-response-id|--max-output-tokens|--max-turns|--min-p|--top-k|--reasoning-generate-summary|--truncation|--temperature|--top-p|--top-logprobs|--prompt-cache-key|--user|--search-parameters-from-date|--search-parameters-to-date|--search-parameters-max-search-results) REPLY='free' ;;
        (--include) REPLY='words reasoning.encrypted_content web_search_call.action.sources code_interpreter_call.outputs file_search_call.results no_inline_citations' ;;
        (--reasoning-effort|--flat-reasoning-effort) REPLY='words none low medium high' ;;
        (--reasoning-summary) REPLY='words auto concise detailed' ;;
        (--tool-choice) REPLY='words none auto required' ;;
        (--service-tier) REPLY='words default priority auto fast' ;;
        (--search-parameters-mode) REPLY='words off on auto' ;;
      esac
      ;;
    ('responses get')
      case $2 in
        (--response-id|@1) REPLY='free' ;;
      esac
      ;;
    ('responses compact')
      case $2 in
        (--input|--input-items|--message|@1) REPLY='at' ;;
        (--image|--file) REPLY='file' ;;
        (--model) REPLY='free' ;;
      esac
      ;;
    ('responses delete')
      case $2 in
        (--response-id|@1) REPLY='free' ;;
      esac
      ;;
    ('responses inputs')
      case $2 in
        (--response-id|--limit|--page-size|--pagination-token|@1) REPLY='free' ;;
        (--order) REPLY='words asc desc' ;;
      esac
      ;;
    ('tokenize')
      case $2 in
        (--text|@1) REPLY='at' ;;
        (--model|--user) REPLY='free' ;;
      esac
      ;;
    ('api')
      case $2 in
        (--method|@1) REPLY='words GET POST PUT PATCH DELETE HEAD OPTIONS get post' ;;
        (--path|@2) REPLY='free' ;;
        (--host) REPLY='words inference management docs' ;;
      esac
      ;;
    ('config get')
      case $2 in
        (--name|@1) REPLY='free' ;;
      esac
      ;;
    ('config set')
      case $2 in
        (--name|--value|@1|@2) REPLY='free' ;;
      esac
      ;;
    ('completion')
      case $2 in
        (--shell|@1) REPLY='words bash zsh fish' ;;
      esac
      ;;
    ('emulator')
      case $2 in
        (--port|--state|--cert|--key|--fault) REPLY='free' ;;
      esac
      ;;
  esac
  [[ -n $REPLY ]] && return
  case $2 in
    (--profile|-p) REPLY='words emulator' ;;
    (--format|-f) REPLY='words text json jsonl raw' ;;
    (--jq|--header|-H|--set|--timeout|--connect-timeout|--idle-timeout|--retries|--max-wait|--base-url|--management-url|--realtime-url|--docs-url|--team-id) REPLY='free' ;;
    (--output|-o) REPLY='file' ;;
    (--body) REPLY='at' ;;
    (--color) REPLY='words auto always never' ;;
  esac
}

# Adds to COMPREPLY what the kind of value $1 allows for the word $2.
_svc_offer() {
  local path IFS=$' \t\n'
  case $1,$2 in
    ('words '*) COMPREPLY+=($(compgen -W "${1#words }" -- "$2")) ;;
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
  local current=$2 command= flag= glue= settled= dashes= word REPLY
  local -i i place=0 last=COMP_CWORD
  COMPREPLY=()
  # bash cuts words at =, : and @, so one value may come in several pieces; in $2, which is what
  # will be replaced, the @ is there again.
  if [[ $current == @* && ${COMP_WORDS[last]} != [=:@]* ]]; then
    last+=-1
  elif [[ ${COMP_WORDS[last]} == [=:]*: || ${COMP_WORDS[last]} == : ]]; then
    return
  fi
  for ((i = 1; i < last; i++)); do
    word=${COMP_WORDS[i]}
    if [[ $word == [=:@]* ]]; then
      [[ $word == @ && -z $flag ]] && settled=1 place+=1
      glue=1
    elif [[ -n $glue || -n $flag ]]; then
      glue= flag=
    elif [[ -z $dashes && $word == -- ]]; then
      dashes=1
    elif [[ -z $dashes && $word == -?* ]]; then
      _svc_values "$command" "$word"
      [[ -n $REPLY ]] && flag=$word
    else
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
