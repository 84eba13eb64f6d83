#!/bin/sh
# Installs svc, its emulator, manual pages and completions.
#   ./install.sh [PREFIX]     PREFIX: where to, by default ~/.local
set -eu
from=$(cd "$(dirname "$0")" && pwd)
[ -n "${1:-${HOME-}}" ] || { echo 'install.sh: HOME is not set; name a directory: ./install.sh PREFIX' >&2; exit 2; }
to=${1:-$HOME/.local}
mkdir -p "$to"
to=$(cd "$to" && pwd)
[ "$from" != "$to" ] || { echo "install.sh: $to is where this is already" >&2; exit 2; }
for directory in bin share; do
  (cd "$from" && find "$directory" -type d) | while read -r name; do mkdir -p "$to/$name"; done
  # Replaced by renaming, so that a running svc keeps its own.
  (cd "$from" && find "$directory" -type f) | while read -r name; do
    cp -p "$from/$name" "$to/$name.new"
    mv -f "$to/$name.new" "$to/$name"
  done
done
echo "Installed in $to: $("$to/bin/svc" --version)"
case ":$PATH:" in
  *":$to/bin:"*) echo 'Try: svc -p emulator chat "Hello"' ;;
  *) echo "$to/bin is not in your PATH. Add this line to ~/.profile and log in again, or run it now:"
     echo "  export PATH=\"$to/bin:\$PATH\"" ;;
esac
