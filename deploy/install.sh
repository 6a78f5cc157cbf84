#!/bin/sh
# Installs Parley on a Debian-like machine with systemd, or upgrades it. Run it as root, from a checkout:
#
#   deploy/install.sh
#
# The code goes to /opt/parley, the data to /var/lib/parley, the settings to /etc/parley/parley.env. An
# upgrade keeps the former code in /opt/parley.former. It needs npm and Node 20 or later.
set -eu
cd "$(dirname "$0")/.."
home=/opt/parley
settings=/etc/parley/parley.env

fail() {
  echo "install.sh: $1" >&2
  exit 1
}

[ "$(id -u)" = 0 ] || fail 'run it as root'
command -v systemctl >/dev/null || fail 'this machine has no systemd: see docs/deploying.md for containers'
command -v npm >/dev/null || fail 'npm is missing: apt-get install npm'
ldconfig -p | grep -q libatomic.so.1 || fail 'libatomic is missing: apt-get install libatomic1'

rm -rf "$home.next"
deploy/assemble.sh "$home.next"

id -u parley >/dev/null 2>&1 ||
  useradd --system --user-group --home-dir /nonexistent --shell /usr/sbin/nologin parley
if [ ! -e "$settings" ]; then
  install -d -m 700 /etc/parley
  cat >"$settings" <<'END'
# The settings of Parley: docs/configuration.md lists all of them. Restart the service after a change.
HOST=127.0.0.1
PORT=3000
# BASE_URL=https://agents.example.com
# TRUST_PROXY=127.0.0.1
END
  chmod 600 "$settings"
fi

if [ -e "$home" ]; then
  systemctl stop parley.service
  rm -rf "$home.former"
  mv "$home" "$home.former"
fi
mv "$home.next" "$home"
"$home/bin/node" "$home/deploy/fill-compile-cache.mjs"
ln -sf "$home/bin/parley" /usr/local/bin/parley
install -m 644 deploy/systemd/parley.service /etc/systemd/system/parley.service
systemctl daemon-reload
systemctl enable parley.service
systemctl start parley.service

port=$(sed -n 's/^PORT=//p' "$settings" | tail -1)
tries=0
until PORT=${port:-3000} "$home/bin/node" "$home/deploy/check-health.mjs"; do
  tries=$((tries + 1))
  [ $tries -lt 60 ] || fail 'the service does not answer: journalctl --unit parley.service shows why'
  sleep 1
done
echo "Parley runs on port ${port:-3000}. journalctl --unit parley.service shows the set-up link of a first start."
