#!/bin/sh
# Backs up the database once a day into /backups, checks each file, and deletes those older than
# KEEP_DAYS. compose.yaml runs it. `back-up.sh once` makes one backup and ends; `back-up.sh restore FILE`
# replaces the database with a backup while no service uses it.
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

# The database stays as it is until the backup is complete in another one. `pg_restore --clean` cannot drop
# the keys of partitions one by one.
restore() {
  new=${PGDATABASE}_restored
  dropdb --if-exists "$new"
  createdb "$new"
  pg_restore --exit-on-error --no-owner --dbname="$new" "$1"
  # Refused while anybody is connected.
  dropdb "$PGDATABASE"
  psql --dbname=postgres --quiet --command="alter database \"$new\" rename to \"$PGDATABASE\""
  echo "restored $1"
}

case ${1:-} in
once)
  back_up
  exit
  ;;
restore)
  restore "$2"
  exit
  ;;
esac
trap 'exit 0' TERM INT
while :; do
  back_up || echo "the backup failed; the next attempt is in a day" >&2
  sleep 86400 &
  wait $!
done
