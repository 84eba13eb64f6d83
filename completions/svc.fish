# fish completion for svc. The program knows what may stand at the cursor: a line that says whether
# files may, and which beginning of the word stays, then the words, each with its help behind a tab.
function __svc_complete
    set -l line (commandline -opc)
    set -l current (commandline -ct)
    set -l answer ($line[1] __complete $line[2..-1] "$current" 2>/dev/null)
    set -q answer[1]; or return
    set -l first (string split -m 1 ' ' -- $answer[1])
    for word in $answer[2..-1]
        echo -- $first[2]$word
    end
    if test $first[1] = files
        for path in (__fish_complete_path (string sub -s (math 1 + (string length -- "$first[2]")) -- "$current"))
            echo -- $first[2]$path
        end
    end
end

complete -c svc -f -a '(__svc_complete)'
