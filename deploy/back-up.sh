#!/bin/sh
# Backs up the database once a day into /backups, checks each file, and deletes those older than
# KEEP_DAYS. compose.yaml runs it. `back-up.sh once` makes one backup and ends.
# ShellCheck reads this file, and server/test/deploy runs it in the image or in compose.yaml.
set -eu
folder=${BACKUP_FOLDER:-/backups}

back_up() {
  name=$folder/parley-$(date -u +%Y%m%dT%H%M%SZ).dump
  # A backup that was interrupted keeps this name and is never taken for a whole one.
  pg_dump --format=custom --file="$name.part"
  pg_restore --list "$name.part" >/dev/null
  mv "$name.part" "$name"
  find "$folder" -name 'parley-*.dump*' -mtime "+${KEEP_DAYS:-14}" -delete
  echo "backed up to $name ($(stat -c %s "$name") bytes)"
}

if [ "${1:-}" = once ]; then
  back_up
  exit
fi
trap 'exit 0' TERM INT
while :; do
  back_up || echo "the backup failed; the next attempt is in a day" >&2
  sleep 86400 &
  wait $!
done
