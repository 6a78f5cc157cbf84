#!/bin/sh
# Creates the database of an empty volume, as the entrypoint of PostgreSQL's image does, and becomes
# the command.
set -eu
as_postgres() {
  setpriv --reuid=postgres --regid=postgres --init-groups -- "$@"
}

install -d -o postgres -g postgres -m 700 "$PGDATA"
install -d -o postgres -g postgres /var/run/postgresql
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  printf '%s\n' "$POSTGRES_PASSWORD" >/tmp/password
  chown postgres /tmp/password
  as_postgres initdb --username="$POSTGRES_USER" --pwfile=/tmp/password >/dev/null
  rm /tmp/password
  echo 'host all all all scram-sha-256' >>"$PGDATA/pg_hba.conf"
  # Not on the network: nobody may take this server for the one that stays.
  as_postgres pg_ctl --wait --options='-c listen_addresses=' start >/dev/null
  as_postgres createdb --username="$POSTGRES_USER" "$POSTGRES_DB"
  as_postgres pg_ctl --wait stop >/dev/null
fi
exec setpriv --reuid=postgres --regid=postgres --init-groups -- "$@" -c 'listen_addresses=*'
