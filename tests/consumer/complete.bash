# Prints bash's completions for `svc WORD`: complete.bash COMPLETIONS WORD
. "$1"
COMP_WORDS=(svc "$2") COMP_CWORD=1 COMP_LINE="svc $2" COMP_POINT=$((4 + ${#2}))
function=$(complete -p svc | sed 's/.*-F \([^ ]*\).*/\1/')
"$function" svc "$2" svc
printf '%s\n' "${COMPREPLY[@]%% }"
