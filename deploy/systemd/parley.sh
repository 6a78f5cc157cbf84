#!/bin/sh
# /usr/local/bin/parley on a machine with deploy/install.sh: runs a command as the service does, as its
# user, with its settings and its data. Without this, a command would use a data folder of its own.
# ShellCheck reads this file, and server/test/deploy runs it.
set -eu
# A folder that the service may not enter is no reason to fail.
exec systemd-run --quiet --pipe --wait --collect --uid=parley --gid=parley \
  --property=EnvironmentFile=-/etc/parley/parley.env --setenv=DATA_DIR=/var/lib/parley \
  --property=UMask=0077 --property="WorkingDirectory=-$PWD" /opt/parley/bin/parley "$@"
