# bash completion for svc. The program knows what may stand at the cursor: a line that says whether
# files may, and which beginning of the word stays, then the words, each with its help behind a tab.
_svc() {
  local current=${2//[\"\'\\]/} rest=${COMP_LINE:0:COMP_POINT} typed head prefix kind word path
  local -a words=() answer=()
  local -i i
  # bash cuts words at = : and @ as well; pieces without a blank between them are one word.
  for ((i = 0; i <= COMP_CWORD; i++)); do
    word=${rest%%[![:space:]]*}
    rest=${rest#"$word"}
    [[ -n $word || $i == 0 ]] && words+=('')
    word=${COMP_WORDS[i]}
    ((i == COMP_CWORD)) && word=$rest
    words[${#words[@]}-1]+=$word
    rest=${rest#"$word"}
  done
  words=("${words[@]//[\"\'\\]/}")
  typed=${words[${#words[@]}-1]}
  head=${typed%"$current"}  # stays in the line; COMPREPLY replaces what is behind it
  while IFS= read -r word; do answer+=("${word%%$'\t'*}"); done < <(
    "${COMP_WORDS[0]/#\~/$HOME}" __complete "${words[@]:1}" 2>/dev/null)
  kind=${answer[0]%% *} prefix=${answer[0]#* }
  COMPREPLY=()
  for word in "${answer[@]:1}"; do
    [[ $prefix$word == "$typed"* ]] && { word=$prefix$word COMPREPLY+=("${word#"$head"}"); }
  done
  [[ $kind == files ]] || return
  if [[ $head == "$prefix" || -z $prefix ]]; then
    compopt -o filenames 2>/dev/null
  else
    compopt -o nospace 2>/dev/null
  fi
  while IFS= read -r path; do
    if [[ $head != "$prefix" && -n $prefix ]]; then
      # Not a plain path, so readline can neither quote it nor recognize a directory.
      [[ -d $path ]] && word=/ || word=' '
      printf -v path '%q%s' "$path" "$word"
      path=$prefix$path path=${path#"$head"}
    fi
    COMPREPLY+=("$path")
  done < <(compgen -f -- "${typed#"$prefix"}")
}

complete -F _svc svc
