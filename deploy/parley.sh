#!/bin/sh
# bin/parley of an assembled folder: `parley start` and `parley <command>`. `start` sets the flags that
# keep memory small.
# ShellCheck reads this file, and server/test/deploy runs it in the image or in compose.yaml.
set -eu
root=$(dirname "$(readlink -f "$0")")/..
if [ "${1:-start}" = start ]; then
  [ $# -eq 0 ] || shift
  exec "$root/bin/node" "$root/tools/start.mjs" "$@"
fi
exec "$root/bin/node" "$root/server/src/main.ts" "$@"
