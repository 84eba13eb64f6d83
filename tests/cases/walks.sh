# Read by the cases of walks/: `run ARGUMENTS` shows a command, what it writes and how it exits, with a word for
# what differs each time: times, ports, secrets, temporary paths and names drawn at random.
run() {
  echo "\$ svc $*"
  code=0
  svc "$@" > "$HOME/shown" 2>&1 || code=$?
  today=$(date +%Y-%m-%d)
  yesterday=$(date -d yesterday +%Y-%m-%d)
  sed -E "s/($today|$yesterday)([T ][0-9:.]*[0-9]Z?)?/NOW/g
    s/([0-9]{4}-[0-9]{2}-[0-9]{2}[T ]0[3-7]:3)[0-9]:[0-9]{2}(\.[0-9]+)?Z/\10:00Z/g
    s/\b(2299[0-9]{3}|2300[0-9]{3})[0-9]{3}\b/\1000/g
    /^[*<>] /d
    s/[0-9]+ ms/N ms/g
    s/[0-9]+ d [0-9]+ h/N d N h/g
    s/(--pagination-token) [^ ]+/\1 TOKEN/
    s/ [0-9a-f]{8}-1$/ HASH-1/
    s/ [0-9a-f]{8}-1\"/ HASH-1\"/
    s/127\.0\.0\.1:[0-9]+/HOST/g
    s/[A-Za-z0-9]{80,}/SECRET/g
    s/svc-\.\.\.[A-Za-z0-9]{4}/svc-...TAIL/g
    s/\.[0-9a-f]{8}\.svc-journal/.HASH.svc-journal/g
    s#$HOME#HOME#g" "$HOME/shown"
  [ $code = 0 ] || echo "(exit $code)"
}
