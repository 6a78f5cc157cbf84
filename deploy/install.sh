#!/bin/sh
# Installs Parley on a Debian-like machine with systemd, or upgrades it. Run it as root, from a checkout:
#
#   deploy/install.sh            # PORT=4000 deploy/install.sh: a first installation on another port
#   deploy/install.sh --remove   # removes the service and its code, not its data and settings
#
# The code goes to /opt/parley, the data to /var/lib/parley, the settings to /etc/parley/parley.env. An
# upgrade keeps the former code in /opt/parley.former. It needs npm and Node 20 or later.
#
# ShellCheck reads this file, and server/test/deploy runs it under systemd in a container: twice, with a
# version that does not start, with one that does not become ready, and with --remove.
set -eu
cd "$(dirname "$0")/.."
home=/opt/parley
settings=/etc/parley/parley.env
data=/var/lib/parley
unit=/etc/systemd/system/parley.service
command=/usr/local/bin/parley

fail() {
  echo "install.sh: $1" >&2
  exit 1
}

# Runs a program of the new version as the service does: as its user, with its settings.
as_service() {
  systemd-run --quiet --pipe --wait --collect --uid=parley --gid=parley \
    --property="EnvironmentFile=-$settings" --setenv="DATA_DIR=$data" "$@"
}

asks() {
  port=$(sed -n 's/^PORT=//p' "$settings" | tail -1)
  PORT=${port:-3000} "$home/bin/node" "$home/deploy/check-health.mjs" "$1"
}

# A migration may take long. Meanwhile the service is alive, but not ready.
becomes_ready() {
  dead=0
  until asks /readyz; do
    asks /healthz || dead=$((dead + 1))
    [ $dead -lt "${INSTALL_PATIENCE:-60}" ] || return 1
    sleep 1
  done
}

# An older version refuses a migrated database, and only a person may decide to lose what came after.
explain_way_back() {
  # Otherwise it could still migrate the database after these lines.
  systemctl stop parley.service
  copy=$(find "$data" -name 'parley.sqlite.before-*' -newer "$home.former/parley.service" | sort | head -1)
  cat >&2 <<END
install.sh: the new version did not become ready and is stopped: journalctl --unit parley.service shows why.
To go back to the former version:
  mv $home $home.failed && mv $home.former $home
  install -m 644 $home/parley.service $unit && systemctl daemon-reload
END
  [ -z "$copy" ] || cat >&2 <<END
  # The new version has migrated the database, so the copy from before must replace it:
  parley restore --force $copy
END
  echo '  systemctl start parley.service' >&2
  exit 1
}

# What cannot be made again stays: a person deletes it.
remove() {
  systemctl disable --now parley.service 2>/dev/null || :
  rm -f "$unit"
  systemctl daemon-reload
  rm -f "$command"
  rm -rf "$home" "$home.former" "$home.next" "$home.failed"
  cat <<END
Parley is removed. Its data, its settings and its user are still here. To delete them as well, for ever:
  rm -r $data /etc/parley && userdel parley
END
}

[ "$(id -u)" = 0 ] || fail 'run it as root'
command -v systemctl >/dev/null || fail 'this machine has no systemd: see docs/deploying.md for containers'
case ${1:-} in
'') ;;
--remove)
  remove
  exit
  ;;
*) fail "it takes nothing or --remove, not $1" ;;
esac
command -v npm >/dev/null || fail 'npm is missing: apt-get install npm'
ldconfig -p | grep -q libatomic.so.1 || fail 'libatomic is missing: apt-get install libatomic1'

# `failed`: from a way back.
rm -rf "$home.next" "$home.failed"
deploy/assemble.sh "$home.next"
# On an empty database, before the running service is touched.
"$home.next/bin/node" "$home.next/deploy/fill-compile-cache.mjs" ||
  fail "the new version does not start. The installed one is as it was"
# The compiled code is found by its path, which changes.
rm -rf "$home.next/node_modules/.cache"

id -u parley >/dev/null 2>&1 ||
  useradd --system --user-group --home-dir /nonexistent --shell /usr/sbin/nologin parley
if [ ! -e "$settings" ]; then
  install -d -m 700 /etc/parley
  cat >"$settings" <<END
# The settings of Parley: docs/configuration.md lists all of them. Restart the service after a change.
HOST=127.0.0.1
PORT=${PORT:-3000}
# BASE_URL=https://agents.example.com
# TRUST_PROXY=127.0.0.1
END
  chmod 600 "$settings"
fi

is_upgrade=false
if [ -e "$home" ]; then
  is_upgrade=true
  as_service "$home.next/bin/parley" migrate --plan ||
    fail 'the new version cannot use the database. The installed one is as it was'
  systemctl stop parley.service
  rm -rf "$home.former"
  mv "$home" "$home.former"
  cp "$unit" "$home.former/parley.service"
fi
mv "$home.next" "$home"
"$home/bin/node" "$home/deploy/fill-compile-cache.mjs"
# Not through the link to bin/parley that earlier versions have put there.
rm -f "$command"
install -m 755 deploy/systemd/parley.sh "$command"
install -m 644 deploy/systemd/parley.service "$unit"
systemctl daemon-reload
systemctl enable parley.service
# If it fails, what follows says so.
systemctl start parley.service || :

if ! becomes_ready; then
  $is_upgrade || fail 'the service does not become ready: journalctl --unit parley.service shows why'
  explain_way_back
fi
port=$(sed -n 's/^PORT=//p' "$settings" | tail -1)
echo "Parley runs on port ${port:-3000}. journalctl --unit parley.service shows the set-up link of a first start."
